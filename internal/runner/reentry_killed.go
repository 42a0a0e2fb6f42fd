package runner

import (
	"context"
	"fmt"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// prepareAfterKill is for a session whose process was killed. Nobody can tell whose a change since is: what
// has to give way is kept, and a note names the command that brings it back.
func (e *reentry) prepareAfterKill(ctx context.Context) error {
	if e.state.Iteration == 0 {
		if done, err := e.settleHeadLate(ctx); done || err != nil {
			return err
		}
	}
	from := e.treeAfterKill()
	here := e.branch == e.state.Place.Branch && (e.branch != "" || e.head == e.state.Head || e.how.Again)
	if !here {
		if stay, err := e.leaveOtherBranch(ctx); stay || err != nil {
			return err
		}
	}
	if err := e.findTip(ctx); err != nil {
		return err
	}
	knowsTip, err := e.isKnownCommit(ctx, from)
	if err != nil {
		return err
	}
	switch {
	case from.ID == "" && here:
		if !knowsTip {
			e.how.Head = e.tip // a person's commits are built on, not folded in
		}
		return nil
	case from.ID == "":
		e.tree, err = e.ws.ImportCommit(ctx, e.tip, e.state.AttemptProgress().Tree.ID)
		if err == nil {
			e.how.Enter = &mulligan.Entry{Branch: e.state.Place.Branch, Tree: mulligan.Tree{ID: e.tree, Head: e.tip}}
		}
		return err
	}
	known := from
	if p := e.state.AttemptProgress(); p.InFlight == nil && p.Left.ID != "" {
		known = p.Left // with what the checks have created
	}
	if err := e.keepUnknownFiles(ctx, known); err != nil {
		return err
	}
	e.tree = from.ID
	switch {
	case knowsTip || e.tip == from.Head:
		e.tip = from.Head
		if !e.state.Place.HasOwnBranch() {
			return e.buildOnTip(ctx, from)
		}
	case e.state.Place.HasOwnBranch():
		if err := e.keepCommits(ctx, from); err != nil {
			return err
		}
		e.tip = from.Head
	default:
		return e.buildOnTip(ctx, from)
	}
	e.how.Enter = &mulligan.Entry{Branch: e.state.Place.Branch, Tree: from}
	return nil
}

// treeAfterKill returns the tree that what was in flight began with, the zero Tree if nothing was.
func (e *reentry) treeAfterKill() mulligan.Tree {
	p := e.state.AttemptProgress()
	switch {
	case e.how.Again, e.state.Final != nil && e.state.Final.Outcome.Ended != mulligan.Interrupted:
		return mulligan.Tree{}
	case e.state.Final != nil && e.state.Phase != mulligan.Leaving && (e.state.InFlight != nil || e.state.Final.Result != nil):
		return mulligan.Tree{} // the final delivery was cut short: the session puts it aside itself
	case p.InFlight != nil:
		return p.InFlight.Before
	case p.Phase != mulligan.Examining:
		return mulligan.Tree{}
	case p.Examination.Before != nil:
		return *p.Examination.Before
	}
	return p.Tree
}

// buildOnTip continues on what is on a branch that is not the session's own, and which is never moved
// backwards.
func (e *reentry) buildOnTip(ctx context.Context, from mulligan.Tree) error {
	tip, err := e.ws.BranchCommit(ctx, e.state.Place.Branch)
	if e.state.Place.Branch == "" {
		tip, err = e.head, nil
	}
	if err != nil {
		return err
	}
	e.tip = tip
	if err := e.takeCommits(ctx, from.Head, from.Head); err != nil {
		return err
	}
	e.finish(from)
	return nil
}

// keepUnknownFiles keeps the files as they are, if they are not the tree's.
func (e *reentry) keepUnknownFiles(ctx context.Context, to mulligan.Tree) error {
	note, err := e.ws.PutAside(ctx, to, e.state.ID+"/"+mulligan.AsideLabel)
	if err == nil && note != "" {
		e.notes = append(e.notes, note)
	}
	return err
}

// keepCommits keeps the commits on the session's branch that the journal does not know.
func (e *reentry) keepCommits(ctx context.Context, to mulligan.Tree) error {
	ref, err := e.ws.KeepCommit(ctx, e.state.ID, e.tip)
	if err != nil {
		return err
	}
	e.notes = append(e.notes, fmt.Sprintf("%s goes back from %.7s to %.7s; its commits are kept: git log %s", e.state.Place.Branch, e.tip, to.Head, ref))
	return nil
}

// isKnownCommit reports whether the journal knows the commit that the session's branch ends with.
func (e *reentry) isKnownCommit(ctx context.Context, from mulligan.Tree) (bool, error) {
	if e.tip == e.state.Head || e.tip == from.Head || e.tip == e.state.Place.Base {
		return true, nil
	}
	kept, err := e.ws.Snapshots(ctx, e.state.ID)
	if err != nil {
		return false, err
	}
	for _, s := range kept {
		if s.Tree.Head == e.tip {
			return true, nil
		}
	}
	return e.ws.IsSessionCommit(ctx, e.tip, e.state.ID)
}

// settleHeadLate puts HEAD on the session's branch if a process was killed before it could. It reports
// whether it did.
func (e *reentry) settleHeadLate(ctx context.Context) (bool, error) {
	place := e.state.Place
	if e.branch == place.Branch && e.head == place.Base {
		return false, nil
	}
	holds, err := e.ws.Holds(ctx, place.Base)
	if err != nil || !holds {
		return false, err
	}
	return true, e.Env.Points.Around("branch", func() error {
		return e.ws.Settle(context.WithoutCancel(ctx), place.Branch, place.Base)
	})
}

// leaveOtherBranch decides what to do where HEAD is elsewhere. It reports whether the workspace is to stay
// as it is: the agent has moved HEAD, and what is there is examined. A person's uncommitted work is refused.
func (e *reentry) leaveOtherBranch(ctx context.Context) (stay bool, err error) {
	if !e.how.Again {
		if e.byAgent, err = e.movedByAgent(ctx); err != nil || e.byAgent {
			return e.byAgent && e.state.AttemptProgress().InFlight == nil, err
		}
	}
	dirty, err := e.ws.Dirty(ctx)
	if err != nil {
		return false, err
	}
	if len(dirty) > 0 {
		return false, e.refuseWork(workspace.PersonWork{Lines: dirty})
	}
	if e.state.Place.Branch == "" {
		return false, usererror.Usage(fmt.Sprintf("session %s works on commit %.10s, and HEAD is elsewhere", e.state.ID, e.state.Head), "git checkout --detach "+e.state.Head)
	}
	return false, nil
}

// movedByAgent reports whether HEAD is elsewhere because the agent has put it there: then the agent's
// work is there too, and is examined, or put back, as it would have been.
func (e *reentry) movedByAgent(ctx context.Context) (bool, error) {
	attempt := e.state.AttemptProgress()
	tree := attempt.Tree
	switch {
	case attempt.InFlight != nil:
		tree = attempt.InFlight.Before
	case attempt.Examination.Before != nil:
		tree = *attempt.Examination.Before
	}
	kept, err := e.ws.Snapshots(ctx, e.state.ID)
	if err != nil {
		return false, err
	}
	for _, s := range kept {
		if s.Tree == tree && s.Branch == e.branch && e.head == tree.Head {
			return true, nil
		}
	}
	// A turn that was cut short has no snapshot of where it went; a branch that is younger
	// than the session is the agent's.
	return attempt.InFlight != nil && e.ws.MadeSince(e.branch, e.state.Started), nil
}

// prepareEarlier is for a session that an earlier mulligan ended: how it left the checkout is not known.
func (e *reentry) prepareEarlier(ctx context.Context) error {
	left := e.state.AttemptProgress().Tree
	wasLeft := e.head == e.state.Head || e.head == left.Head
	if e.branch == e.state.Place.Branch && (e.branch != "" || e.head == e.state.Head || e.how.Again) {
		if e.how.Again && !wasLeft {
			e.how.Head = e.head
		}
		return nil
	}
	if stay, err := e.leaveOtherBranch(ctx); stay || err != nil {
		return err
	}
	if err := e.findTip(ctx); err != nil {
		return err
	}
	tree := left.ID
	if e.tip != e.state.Head && e.tip != left.Head || tree == "" {
		imported, err := e.ws.ImportCommit(ctx, e.tip, tree)
		if err != nil {
			return err
		}
		tree = imported
	}
	e.how.Enter = &mulligan.Entry{Branch: e.state.Place.Branch, Tree: mulligan.Tree{ID: tree, Head: e.tip}}
	return nil
}
