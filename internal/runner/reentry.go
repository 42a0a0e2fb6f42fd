package runner

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/state"
	"mulligan/workspace"
)

// A reentry brings a slot back to what a session left, with the files of the plan as the person has them now.
type reentry struct {
	*job
	state *state.State
	how   mulligan.SessionResumed
	notes []string
}

// prepare decides what the session continues with, and brings the workspace to it: what the turn in flight found, or
// what the session left. Corrected files of the plan are taken over.
func (e *reentry) prepare(ctx context.Context, c workspace.Checkout) error {
	place, head := e.state.Place, e.state.Head
	place.Dir = workspace.WorkspaceIn(e.slot)
	if place.Dir != e.state.Place.Dir {
		e.how.Place = &place
	}
	if err := e.openSite(ctx, cmp.Or(e.how.Plan, e.state.Plan), c, place, head); err != nil {
		return err
	}
	from := e.treeToContinue()
	if from.ID != "" {
		from.Head = head // the tree may have been taken before it was committed
	}
	to := from
	if to.ID == "" {
		tree, err := e.store.TreeOf(ctx, head)
		if err != nil {
			return err
		}
		to = mulligan.Tree{ID: tree, Head: head}
	}
	if err := e.keepCutWork(ctx, to); err != nil {
		return err
	}
	if err := e.remakePlan(); err != nil {
		return err
	}
	ahead, err := e.takeBranch(ctx, &to)
	if err != nil {
		return err
	}
	given, err := e.takeGiven(ctx, &to)
	if err != nil {
		return err
	}
	carried := to
	if e.Options.Carry && !e.carried {
		if carried, err = e.carry(ctx, to, e.state.ID); err != nil {
			return err
		}
	}
	carries := carried != to
	to = carried
	p := e.state.Plan
	if e.how.Plan != nil {
		p = e.how.Plan
	}
	if err := e.prepareSite(ctx, p, to.Head, to.ID); err != nil {
		return err
	}
	if ahead || given || carries {
		tree, err := e.store.TreeOf(ctx, to.Head)
		if err != nil {
			return err
		}
		e.how.Head, e.how.Committed, e.how.Tree = to.Head, mulligan.Tree{ID: tree, Head: to.Head}, to
	}
	return nil
}

// treeToContinue returns the tree on which the session continues; none before its first turn.
func (e *reentry) treeToContinue() mulligan.Tree {
	p := e.state.AttemptProgress()
	switch {
	case p.InFlight != nil && !e.how.Again:
		return p.InFlight.Before
	case e.state.Outcome != nil && e.state.Outcome.Left.ID != "":
		return e.state.Outcome.Left
	case e.state.InFlight != nil:
		return e.state.InFlight.Before
	case e.state.Tree.ID != "":
		return e.state.Tree
	case p.Tree.ID == "":
		return e.state.Found
	}
	return p.Tree
}

// keepCutWork keeps what a turn that is given again had begun: what a killed one has left in the workspace, if that is still
// there, or what the session left when the turn was cut short. Nothing else that is there is lost either.
func (e *reentry) keepCutWork(ctx context.Context, from mulligan.Tree) error {
	what, left := "what has changed in the workspace since", from
	switch o := e.state.Outcome; {
	case o != nil && o.Left.ID != "" && o.Left.ID != from.ID:
		kept, err := e.store.KeepLeft(ctx, e.state.ID, mulligan.LeftLabel)
		e.noteKept("what the interrupted turn had begun", kept, err)
		left = o.Left
	case o == nil && (e.state.AttemptProgress().InFlight != nil || e.state.InFlight != nil):
		what = "what the killed turn had begun"
	}
	if e.slot == filepath.Dir(e.state.Place.Dir) {
		kept, err := e.site.Workspace.KeepAside(ctx, e.state.ID, left)
		e.noteKept(what, kept, err)
	}
	return context.Cause(ctx)
}

// noteKept notes where something is kept, or that it could not be.
func (e *reentry) noteKept(what string, kept workspace.Kept, err error) {
	switch {
	case err != nil:
		e.notes = append(e.notes, what+" could not be read, and is gone: "+text.OneLine(err.Error()))
	case kept.Label != "":
		e.notes = append(e.notes, fmt.Sprintf("%s is kept: git --git-dir=%s show %s", what, usererror.QuotePath(e.folders.Store(e.Root)), kept.Label))
	}
}

// takeBranch puts the session on the commits that a person has made on top of its branch. It reports whether there are any.
func (e *reentry) takeBranch(ctx context.Context, to *mulligan.Tree) (bool, error) {
	branch := e.state.Place.Branch
	if branch == "" {
		return false, nil
	}
	tip, err := e.site.PersonHas(ctx, "refs/heads/"+branch)
	if err != nil || tip == "" || tip == to.Head {
		return false, err
	}
	if e.state.Committing != nil { // killed before it was recorded, the session's own commit may be there
		if own, err := e.store.Commit(ctx, "refs/sessions/"+e.state.ID+"/verified"); own == tip || err != nil {
			return false, err
		}
	}
	if ahead, err := e.store.Contains(ctx, tip, to.Head); err != nil || !ahead {
		return false, err
	}
	own, err := e.store.Commit(ctx, "refs/sessions/"+e.state.ID+"/"+workspace.VerifiedLabel)
	if err != nil || own == tip { // the journal did not come to have it before the process was killed
		return false, err
	}
	paths, err := e.store.ChangedPaths(ctx, to.Head, tip)
	if err != nil {
		return false, err
	}
	tree, err := e.site.Combine(ctx, *to, mulligan.Tree{ID: tip}, paths)
	if err != nil {
		return false, err
	}
	e.say("%s has commits that this session did not make, up to %.7s: it builds on them", branch, tip)
	*to = mulligan.Tree{ID: tree.ID, Head: tip}
	e.site.SetHead(tip)
	return true, nil
}

// takeGiven takes the files of the plan over as they are in the person's checkout now, where they differ from those that the
// session has. It reports whether it has.
func (e *reentry) takeGiven(ctx context.Context, to *mulligan.Tree) (bool, error) {
	files := slices.Clone(e.state.Plan.Files)
	if e.how.Plan != nil {
		files = append(files, e.how.Plan.Files...)
	}
	files, err := e.leaveIgnored(ctx, files)
	if err != nil {
		return false, err
	}
	commit, changed, err := e.site.Present(ctx, to.Head, files, false, "The files of the plan, corrected in the checkout\n\nMulligan-Session: "+e.state.ID, e.state.ID+"/given")
	if err == nil && !e.Options.Carry {
		err = e.nameUncommitted(ctx, append(files, filepath.ToSlash(e.state.Plan.Task.Path)))
	}
	if err != nil || len(changed) == 0 {
		return false, err
	}
	tree, err := e.site.Combine(ctx, *to, mulligan.Tree{ID: commit}, trimLetters(changed))
	if err != nil {
		return false, err
	}
	e.say("%s is taken over as you have corrected it, as commit %.7s", joinPaths(trimLetters(changed)), commit)
	*to = mulligan.Tree{ID: tree.ID, Head: commit}
	return true, nil
}
