package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
)

// beginSession makes a new session: it locks the workspace, chooses where the session works, and puts HEAD
// there.
func (r *Runner) beginSession(ctx context.Context, p *mulligan.Plan) (*job, error) {
	id := sessions.NewID(r.Env.SessionClock().Now())
	if p.Worktree.Enabled {
		return r.beginInWorktree(ctx, p, id)
	}
	j, err := r.enterWorkspace(ctx, r.Root, id, "")
	if err != nil {
		return nil, err
	}
	place, err := j.choosePlace(ctx, p, id)
	if err == nil {
		err = j.startSession(ctx, p, place, id)
	}
	return j.closeOnError(err)
}

// startSession stores that a session begins, and only then puts HEAD where it works: the process that
// resumes the session knows what a killed one left undone.
func (j *job) startSession(ctx context.Context, p *mulligan.Plan, place mulligan.Place, id string) error {
	j.session = j.assemble(p, id)
	if err := j.session.Start(id, p, place); err != nil {
		return err
	}
	if err := j.session.Announce(ctx); err != nil {
		return err
	}
	return j.settleHead(ctx, place)
}

// settleHead puts HEAD where the session works.
func (j *job) settleHead(ctx context.Context, place mulligan.Place) error {
	return j.Env.Points.Around("branch", func() error {
		return j.ws.Settle(context.WithoutCancel(ctx), place.Branch, place.Base)
	})
}

// choosePlace returns where in the user's checkout a new session works. The tasks of a folder share
// a branch.
func (j *job) choosePlace(ctx context.Context, p *mulligan.Plan, id string) (mulligan.Place, error) {
	origin, head, err := j.ws.Head(ctx)
	if err != nil {
		return mulligan.Place{}, err
	}
	if doing := j.ws.InProgress(ctx); doing != "" {
		return mulligan.Place{}, refuseInProgress(doing)
	}
	last, err := j.readLastOfFolder(ctx, p, origin)
	if err != nil {
		return mulligan.Place{}, err
	}
	place := mulligan.Place{Dir: j.ws.Dir(), Root: j.Root, Origin: origin, Branch: origin}
	switch {
	case last != nil:
		place.Origin = last.Place.Origin
	case p.Git.Branch:
		place.Branch = "mulligan/" + id
	}
	place.Base, err = j.chooseBase(ctx, head, last, id)
	return place, err
}

// chooseBase returns the commit that a session builds on. Uncommitted work is refused, or taken along
// as a commit of its own: it is never mixed with the agent's work, and never lost.
func (j *job) chooseBase(ctx context.Context, head string, last *mulligan.State, id string) (string, error) {
	dirty, err := j.ws.Dirty(ctx)
	if err != nil || len(dirty) == 0 {
		return head, err
	}
	if last != nil && last.Outcome != nil && last.Outcome.Left.Head == head {
		if same, err := j.ws.IsAt(ctx, last.Outcome.Left); err != nil || same {
			return head, err
		}
	}
	if !j.Options.Carry {
		return "", refuseDirty(dirty)
	}
	var base string
	err = j.Env.Points.Around("carry", func() (err error) {
		base, err = j.ws.Carry(ctx, "Work in progress, taken along by mulligan session "+id)
		return err
	})
	return base, err
}

// refuseInProgress refuses to work in a repository in which a merge or the like is not finished.
func refuseInProgress(doing string) error {
	return usererror.Usage("the repository is in the middle of "+doing, "finish or abort it first")
}

// refuseDirty refuses to work in a repository that has uncommitted work.
func refuseDirty(dirty []string) error {
	list := dirty
	if len(list) > 10 {
		list = append(list[:10:10], fmt.Sprintf("and %d more", len(dirty)-10))
	}
	return usererror.Usage("the repository has uncommitted work:\n    "+strings.Join(list, "\n    "),
		"commit or stash it first, take it along with --carry, or leave it alone with --worktree")
}

// readLastOfFolder returns the state of the newest session of the folder's tasks, or nil if the
// checkout is no longer on the branch that it worked on.
func (j *job) readLastOfFolder(ctx context.Context, p *mulligan.Plan, branch string) (*mulligan.State, error) {
	if p.Task.Folder == "" || branch == "" || p.Git.Branch && !strings.HasPrefix(branch, "mulligan/") {
		return nil, nil
	}
	all, err := j.journal.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(all) {
		if s.Dir == j.Root && s.Folder == p.Task.Folder && s.Branch == branch {
			return j.readState(ctx, s.ID)
		}
	}
	return nil, nil
}

// beginInPlace makes a session for the next task of a folder where the last one worked: on the same
// branch, with what the last one's checks left and its config did not commit.
func (r *Runner) beginInPlace(ctx context.Context, p *mulligan.Plan, place mulligan.Place) (*job, error) {
	id := sessions.NewID(r.Env.SessionClock().Now())
	j, err := r.enterWorkspace(ctx, place.Dir, id, place.Branch)
	if err != nil {
		return nil, err
	}
	if _, place.Base, err = j.ws.Head(ctx); err == nil {
		j.session = j.assemble(p, id)
		err = j.session.Start(id, p, place)
	}
	return j.closeOnError(err)
}
