package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/usererror"
)

// begin starts a new session: the workspace is locked, looked at, and put on a branch.
func (h *house) begin(ctx context.Context, p *mulligan.Plan) (*job, error) {
	id := newID(h.app.SessionClock().Now())
	if p.Worktree.Enabled {
		return h.beginApart(ctx, p, id)
	}
	j, err := h.enter(ctx, h.root, id, "")
	if err != nil {
		return nil, err
	}
	place, err := j.place(ctx, p, id)
	if err == nil {
		err = j.start(ctx, p, place, id)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// start stores that a session begins, and only then puts HEAD where it works: whatever a
// killed process has left undone of that, the one that goes on knows of it.
func (j *job) start(ctx context.Context, p *mulligan.Plan, place mulligan.Place, id string) error {
	j.session = j.assemble(j, p, id)
	if err := j.session.Start(id, p, place); err != nil {
		return err
	}
	if err := j.session.Announce(ctx); err != nil {
		return err
	}
	return j.settle(ctx, place)
}

func (j *job) settle(ctx context.Context, place mulligan.Place) error {
	return j.app.Points.Around("branch", func() error {
		return j.ws.Settle(context.WithoutCancel(ctx), place.Branch, place.Base)
	})
}

// place says where in the user's checkout a new session works. The tasks of a folder share
// a branch.
func (j *job) place(ctx context.Context, p *mulligan.Plan, id string) (mulligan.Place, error) {
	origin, head, err := j.ws.Head(ctx)
	if err != nil {
		return mulligan.Place{}, err
	}
	if doing := j.ws.InProgress(ctx); doing != "" {
		return mulligan.Place{}, refuseInProgress(doing)
	}
	last, err := j.lastOfFolder(ctx, p, origin)
	if err != nil {
		return mulligan.Place{}, err
	}
	place := mulligan.Place{Dir: j.ws.Dir(), Root: j.root, Origin: origin, Branch: origin}
	switch {
	case last != nil:
		place.Origin = last.Place.Origin
	case p.Git.Branch:
		place.Branch = "mulligan/" + id
	}
	place.Base, err = j.base(ctx, head, last, id)
	return place, err
}

// base is the commit that a session builds on. What is not committed is refused, or taken
// along as a commit of its own: it is never mixed with the agent's work, and never lost.
func (j *job) base(ctx context.Context, head string, last *mulligan.State, id string) (string, error) {
	dirty, err := j.ws.Dirty(ctx)
	if err != nil || len(dirty) == 0 {
		return head, err
	}
	if last != nil && last.Outcome != nil && last.Outcome.Left.Head == head {
		if same, err := j.ws.IsAt(ctx, last.Outcome.Left); err != nil || same {
			return head, err
		}
	}
	if !j.opt.Carry {
		return "", refuseDirty(dirty)
	}
	var base string
	err = j.app.Points.Around("carry", func() (err error) {
		base, err = j.ws.Carry(ctx, "Work in progress, taken along by mulligan session "+id)
		return err
	})
	return base, err
}

func refuseInProgress(doing string) error {
	return usererror.Usage("the repository is in the middle of "+doing, "finish or abort it first")
}

func refuseDirty(dirty []string) error {
	list := dirty
	if len(list) > 10 {
		list = append(list[:10:10], fmt.Sprintf("and %d more", len(dirty)-10))
	}
	return usererror.Usage("the repository has uncommitted work:\n    "+strings.Join(list, "\n    "),
		"commit or stash it first, take it along with --carry, or leave it alone with --worktree")
}

// lastOfFolder is the newest session of the folder's tasks, where the checkout is still on
// the branch that it worked on; else nil.
func (j *job) lastOfFolder(ctx context.Context, p *mulligan.Plan, branch string) (*mulligan.State, error) {
	if p.Task.Folder == "" || branch == "" || p.Git.Branch && !strings.HasPrefix(branch, "mulligan/") {
		return nil, nil
	}
	all, err := j.store.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(all) {
		if s.Dir == j.root && s.Folder == p.Task.Folder && s.Branch == branch {
			return j.fold(ctx, s.ID)
		}
	}
	return nil, nil
}

// beginBeside starts a session for the next task of a folder where the last one worked: on
// the same branch, with whatever its checks left and its config did not commit.
func (h *house) beginBeside(ctx context.Context, p *mulligan.Plan, place mulligan.Place) (*job, error) {
	id := newID(h.app.SessionClock().Now())
	j, err := h.enter(ctx, place.Dir, id, place.Branch)
	if err != nil {
		return nil, err
	}
	if _, place.Base, err = j.ws.Head(ctx); err == nil {
		j.session = h.assemble(j, p, id)
		err = j.session.Start(id, p, place)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}
