package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/view"
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
		return nil, adviseWorktree(err)
	}
	all, err := j.finishReturns(ctx)
	if err != nil {
		return j.closeOnError(err)
	}
	place, err := j.choosePlace(ctx, p, id, all)
	if err == nil {
		err = j.startSession(ctx, p, place, id)
	}
	return j.closeOnError(err)
}

// adviseWorktree adds to the error about a busy workspace that a session can begin beside it.
func adviseWorktree(err error) error {
	busy, ok := errors.AsType[*usererror.Error](err)
	if !ok || busy.Code != mulligan.ExitBusy {
		return err
	}
	advised := *busy
	advised.Hint += "; --worktree works beside it"
	return &advised
}

// startSession stores that a session begins, and only then puts HEAD where it works: the process that
// resumes the session knows what a killed one left undone.
func (j *job) startSession(ctx context.Context, p *mulligan.Plan, place mulligan.Place, id string) error {
	if err := j.checkIdentity(ctx, p); err != nil {
		return err
	}
	j.session = j.assemble(p, id)
	j.adoptPlace(place)
	if err := j.session.Start(id, p, place); err != nil {
		return err
	}
	if err := j.session.Announce(ctx); err != nil {
		return err
	}
	return j.settleHead(ctx, place)
}

// adoptPlace tells the workspace what it has to know of where the session works.
func (j *job) adoptPlace(place mulligan.Place) {
	j.ws.SetOwn(place.HasOwnBranch())
	j.ws.Hide(place.Hidden)
}

// settleHead puts HEAD where the session works: on a new branch, or on that of a folder's tasks.
func (j *job) settleHead(ctx context.Context, place mulligan.Place) error {
	return j.Env.Points.Around("branch", func() error {
		ctx := context.WithoutCancel(ctx)
		if _, head, err := j.ws.Head(ctx); err != nil || head == place.Base || place.Carried {
			return errors.Join(err, j.ws.Settle(ctx, place.Branch, place.Base))
		}
		return j.ws.SwitchTo(ctx, place.Branch)
	})
}

// choosePlace returns where in the user's checkout a new session works: on a branch that begins where
// HEAD is. The tasks of a folder share a branch. all are the journal's sessions.
func (j *job) choosePlace(ctx context.Context, p *mulligan.Plan, id string, all []mulligan.Summary) (mulligan.Place, error) {
	origin, head, err := j.ws.Head(ctx)
	if err != nil {
		return mulligan.Place{}, err
	}
	if doing := j.ws.InProgress(ctx); doing != "" {
		return mulligan.Place{}, refuseInProgress(doing)
	}
	place := mulligan.Place{Dir: j.ws.Dir(), Root: j.Root, Origin: origin, OriginHead: head, Branch: origin}
	if p.Git.Branch {
		place.Branch = nameBranch(p, id)
	}
	last, tip, err := j.findBranchOfFolder(ctx, p, all, head)
	if err != nil {
		return mulligan.Place{}, err
	}
	if last != nil {
		place = last.Place
		place.Base = tip
	} else if err := refuseUnfinished(all, j.Root, origin); err != nil {
		return mulligan.Place{}, err
	}
	return j.chooseBase(ctx, place, head, all, id)
}

// maxSlug is how many letters of a task's title are in the name of its branch.
const maxSlug = 40

// nameBranch returns the name of a new session's branch: the task's title and the end of the session's
// id.
func nameBranch(p *mulligan.Plan, id string) string {
	title := p.Task.Title()
	if p.Task.Folder != "" {
		title = filepath.Base(p.Task.Folder)
	}
	words := strings.FieldsFunc(strings.ToLower(view.Line(title)), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	slug := ""
	for _, word := range words {
		if slug != "" && len(slug)+1+len(word) > maxSlug {
			break
		}
		slug = strings.TrimPrefix(slug+"-"+word, "-")
	}
	slug = strings.Trim(slug[:min(len(slug), maxSlug)], "-")
	return "mulligan/" + strings.TrimPrefix(slug+"-"+id[strings.LastIndexByte(id, '-')+1:], "-")
}

// refuseUnfinished refuses to begin a session on the branch of another one that is not finished: its
// work, which nothing verified, would be under the new one's.
func refuseUnfinished(all []mulligan.Summary, root, branch string) error {
	for _, s := range slices.Backward(all) {
		if s.Dir != root || s.Branch != branch || !strings.HasPrefix(branch, "mulligan/") {
			continue
		}
		if sessions.EndedWell(s) {
			return nil
		}
		hint := "`git switch` to your own branch first"
		if sessions.CanResume(s) {
			hint += ", or go on with it: mulligan resume " + s.ID
		} else if s.Name == "" {
			hint += ", or go on with it: mulligan run " + s.Task
		}
		return usererror.Usage(fmt.Sprintf("HEAD is on %s, the branch of session %s, which is not finished", branch, s.ID), hint)
	}
	return nil
}

// chooseBase returns the place with the commit that the session builds on. Uncommitted work is refused,
// or taken along as a commit of its own: it is never mixed with the agent's work, and never lost.
func (j *job) chooseBase(ctx context.Context, place mulligan.Place, head string, all []mulligan.Summary, id string) (mulligan.Place, error) {
	if place.Base == "" {
		place.Base = head
	}
	if dirty, err := j.ws.Dirty(ctx); err != nil || len(dirty) == 0 {
		return place, err
	}
	work, hidden, err := j.findUncommitted(ctx, all)
	place.Hidden = hidden
	if err != nil || len(work.Paths) == 0 {
		return place, err
	}
	switch {
	case !j.Options.Carry:
		return place, refuseDirty(work.Lines)
	case place.Base != head:
		return place, usererror.Usage(fmt.Sprintf("the folder's tasks work on %s, and there is uncommitted work here:\n    %s", place.Branch, strings.Join(work.Lines, "\n    ")),
			"commit or stash it first, or `git switch "+place.Branch+"` and give --carry there")
	}
	err = j.Env.Points.Around("carry", func() (err error) {
		place.Base, err = j.ws.Carry(ctx, "Work in progress, taken along by mulligan session "+id)
		return err
	})
	place.Carried = true
	return place, err
}

// findUncommitted returns the uncommitted work in the checkout. hidden are files that are none: the newest
// session left them, only its branch ignores them, and they are as they were.
func (j *job) findUncommitted(ctx context.Context, all []mulligan.Summary) (work workspace.PersonWork, hidden []string, err error) {
	if work, err = j.ws.FindPersonWork(ctx); err != nil {
		return work, nil, err
	}
	standing := j.findStanding(ctx, all)
	if standing == nil || len(standing.Hidden) == 0 || !j.ws.HasSnapshot(ctx, standing.Tree) {
		return work, nil, nil
	}
	changed, err := j.ws.DifferingPaths(ctx, standing.Tree, work.Now.ID, standing.Hidden)
	if err != nil {
		return work, nil, err
	}
	rest := workspace.PersonWork{Now: work.Now}
	for i, path := range work.Paths {
		if slices.Contains(standing.Hidden, path) && !slices.Contains(changed, path) {
			hidden = append(hidden, path)
			continue
		}
		rest.Paths, rest.Lines = append(rest.Paths, path), append(rest.Lines, work.Lines[i])
	}
	return rest, hidden, nil
}

// findStanding returns how the newest session in this checkout left it, or nil if that is not known.
func (j *job) findStanding(ctx context.Context, all []mulligan.Summary) *mulligan.Standing {
	for _, s := range slices.Backward(all) {
		if s.Dir != j.ws.Dir() || s.Ended == "" {
			continue
		}
		state, err := j.readState(ctx, s.ID)
		if err != nil || state.Outcome == nil {
			return nil // one that cannot be read tells nothing
		}
		return state.Outcome.Standing
	}
	return nil
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

// findBranchOfFolder returns the newest session of the folder's tasks if the next task works on its
// branch, and where that branch ends. It does not where the branch is gone, or merged into HEAD: then a
// new branch has all that is on it.
func (j *job) findBranchOfFolder(ctx context.Context, p *mulligan.Plan, all []mulligan.Summary, head string) (*mulligan.State, string, error) {
	if p.Task.Folder == "" || j.Options.Restart {
		return nil, "", nil
	}
	for _, s := range slices.Backward(all) {
		if s.Dir != j.Root || s.Folder != p.Task.Folder || s.Branch == "" {
			continue
		}
		tip, err := j.ws.BranchCommit(ctx, s.Branch)
		if err != nil || tip == "" {
			return nil, "", err
		}
		state, err := j.readState(ctx, s.ID)
		if err != nil {
			return nil, "", err
		}
		branch, _, err := j.ws.Head(ctx)
		if err != nil || !state.Place.HasOwnBranch() || !p.Git.Branch {
			return nil, "", err
		}
		if branch == s.Branch {
			return state, tip, nil
		}
		merged, err := j.ws.Contains(ctx, head, tip)
		if err != nil || merged {
			return nil, "", err
		}
		return state, tip, nil
	}
	return nil, "", nil
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
		j.adoptPlace(place)
		err = j.session.Start(id, p, place)
	}
	return j.closeOnError(err)
}
