package runner

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// A reentry brings the workspace back to what a session left, with what a person has done since. Nothing is
// changed while it is prepared: it ends in a SessionResumed that the journal has before the checkout is
// entered.
type reentry struct {
	*job
	state *mulligan.State
	how   mulligan.SessionResumed
	notes []string

	branch, head string // where HEAD is
	byAgent      bool   // the agent has put it there
	tip          string // the commit to build on: where the session's branch ends, and commits made here
	tree         string // what the workspace is to have
	committed    string // the files of tip, as a snapshot
}

// prepare decides what the workspace is to have, and makes the commits that the session then builds on.
func (e *reentry) prepare(ctx context.Context) (err error) {
	if e.branch, e.head, err = e.ws.Head(ctx); err != nil {
		return err
	}
	switch {
	case e.state.Entering != nil:
		e.how.Enter = e.state.Entering // a process was killed while it entered
		return e.keepUnknownFiles(ctx, e.state.Entering.Tree)
	case e.state.Outcome == nil:
		err = e.prepareAfterKill(ctx)
	case e.state.Outcome.Standing == nil:
		err = e.prepareEarlier(ctx)
	default:
		err = e.prepareAfterEnd(ctx)
	}
	e.noteOrigin()
	return err
}

// noteOrigin has the checkout given back to where the person is now, if that is another branch than when
// the session began.
func (e *reentry) noteOrigin() {
	place := e.state.Place
	if e.how.Place != nil {
		place = *e.how.Place
	}
	moved := e.branch != place.Origin || e.branch == "" && e.head != place.OriginHead
	if e.how.Enter == nil || e.byAgent || !moved || !place.HasOwnBranch() || place.Worktree || e.branch == place.Branch {
		return
	}
	place.Origin, place.OriginHead = e.branch, e.head
	e.how.Place = &place
}

// continuedTree returns the tree on which the session continues: what the turn in flight, which is given
// again, has found; else what the session left.
func (e *reentry) continuedTree() mulligan.Tree {
	if turn := e.state.AttemptProgress().InFlight; turn != nil && !e.how.Again {
		return turn.Before
	}
	return e.state.Outcome.Left
}

// prepareAfterEnd is for a session that ended in order. Whatever differs from what it left is a person's
// doing.
func (e *reentry) prepareAfterEnd(ctx context.Context) error {
	standing, place := e.state.Outcome.Standing, e.state.Place
	if err := e.findTip(ctx); err != nil {
		return err
	}
	from := e.continuedTree()
	restored, err := e.findRestored(ctx)
	if err != nil {
		return err
	}
	e.tree = cmp.Or(restored, from.ID)
	if err := e.takeCommits(ctx, standing.SessionHead, from.Head); err != nil {
		return err
	}
	left := []string{standing.Tree}
	if restored != "" {
		left = append(left, restored)
	}
	if e.branch == place.Branch && standing.Returned {
		left = append(left, e.state.Outcome.Left.ID) // brought back with `mulligan restore left`
	}
	work, err := e.findWork(ctx, left)
	if err != nil {
		return err
	}
	if work, err = e.takeCorrections(ctx, work); err != nil {
		return err
	}
	if len(work.Paths) > 0 {
		if err := e.carry(ctx, work); err != nil {
			return err
		}
	}
	e.finish(from)
	return e.keepCutTurn(ctx, from)
}

// keepCutTurn keeps what the session left, if the turn that was cut short is given again on another tree:
// the next end of the session keeps its own as "left". It may have a person's changes too.
func (e *reentry) keepCutTurn(ctx context.Context, from mulligan.Tree) error {
	left := e.state.Outcome.Left
	if left == from || !e.ws.HasSnapshot(ctx, left.ID) {
		return nil
	}
	note, err := e.ws.PutTreeAside(ctx, left, e.state.Place.Branch, from, e.state.ID+"/"+mulligan.AsideLabel)
	if err == nil && note != "" {
		e.notes = append(e.notes, note)
	}
	return err
}

// findWork returns the person's uncommitted work: that which none of the trees has.
func (e *reentry) findWork(ctx context.Context, left []string) (workspace.PersonWork, error) {
	var kept []string
	for _, tree := range left {
		if tree != "" && e.ws.HasSnapshot(ctx, tree) {
			kept = append(kept, tree)
		}
	}
	return e.ws.FindPersonWork(ctx, kept...)
}

// findTip finds where the session's branch ends.
func (e *reentry) findTip(ctx context.Context) (err error) {
	place := e.state.Place
	if place.Branch == "" {
		if e.tip = e.head; e.branch != "" {
			return usererror.Usage(fmt.Sprintf("session %s works on commit %.10s, and HEAD is on %s", e.state.ID, e.state.Head, e.branch), "git checkout --detach "+e.state.Head)
		}
		return nil
	}
	e.tip, err = e.ws.BranchCommit(ctx, place.Branch)
	if err == nil && e.tip == "" {
		err = usererror.Usage(fmt.Sprintf("the branch %s, on which session %s works, is gone", place.Branch, e.state.ID),
			fmt.Sprintf("bring it back (git branch %s %.10s), or begin a new session with --restart", place.Branch, e.state.Head))
	}
	return err
}

// takeCommits builds on commits of a person's on the session's branch: known is where the session left it.
// Where both changed the same lines the person's version counts.
func (e *reentry) takeCommits(ctx context.Context, known, head string) (err error) {
	if known == "" || !e.state.Place.HasOwnBranch() {
		known = head // on a branch that is not the session's own an agent's commits stay too
	}
	if e.committed, err = e.ws.ImportCommit(ctx, e.tip, e.committedTree()); err != nil {
		return err
	}
	if e.tip == known {
		if e.tip != head {
			e.tip = head // the agent's own commits, which the turn that is given again makes anew
			e.committed, err = e.ws.ImportCommit(ctx, e.tip, e.committed)
		}
		return err
	}
	base, err := e.ws.ImportCommit(ctx, known, e.committed)
	if err != nil {
		return err
	}
	tree, lost, err := e.ws.MergeTrees(ctx, workspace.Merge{Base: base, Ours: e.tree, Theirs: e.committed, PreferTheirs: true})
	if err != nil {
		return err
	}
	e.tree = tree
	e.say("%s has commits that this session did not make, up to %.7s: it builds on them", describeBranch(e.state.Place.Branch), e.tip)
	if len(lost) > 0 {
		e.notes = append(e.notes, fmt.Sprintf("your commits and the session's work changed the same lines of %s: yours count; `mulligan restore %s left` has the session's", joinPaths(lost), e.state.ID))
	}
	return nil
}

// committedTree returns a snapshot that is like the last commit.
func (e *reentry) committedTree() string {
	if id := e.state.CommittedTree.ID; id != "" {
		return id
	}
	return e.tree
}

// carry takes the person's uncommitted work along, as a commit of its own on the session's branch, or
// refuses to.
func (e *reentry) carry(ctx context.Context, work workspace.PersonWork) error {
	if !e.Options.Carry {
		return e.refuseWork(work)
	}
	base, err := e.findWorkBase(ctx, work)
	if err != nil {
		return err
	}
	merge := workspace.Merge{Base: base, Ours: e.tree, Theirs: work.Now.ID}
	tree, conflicts, err := e.ws.MergeTrees(ctx, merge)
	if err != nil {
		return err
	}
	merge.Ours = e.committed
	committed, more, err := e.ws.MergeTrees(ctx, merge)
	if err != nil {
		return err
	}
	if conflicts = append(conflicts, more...); len(conflicts) > 0 {
		return usererror.Usage(fmt.Sprintf("your uncommitted work and the session's changed the same lines of %s; nothing was changed", joinPaths(conflicts)),
			fmt.Sprintf("yours is in the checkout, the session's is shown by `mulligan diff %s`; commit or stash yours first", e.state.ID))
	}
	if err := e.commit(ctx, committed, "Work in progress, taken along by mulligan session "+e.state.ID); err != nil {
		return err
	}
	e.tree = tree
	place := e.state.Place
	if e.how.Place != nil {
		place = *e.how.Place
	}
	place.Carried = true
	e.how.Place = &place
	e.say("your uncommitted work is taken along, as commit %.7s on %s", e.tip, place.Branch)
	return nil
}

// findWorkBase returns the tree that the person's uncommitted work began with.
func (e *reentry) findWorkBase(ctx context.Context, work workspace.PersonWork) (string, error) {
	standing := e.state.Outcome.Standing
	switch {
	case e.branch == e.state.Place.Branch && standing.Returned && e.head == standing.SessionHead:
		return e.ws.TakePaths(ctx, work.Now.ID, e.state.Outcome.Left.ID, work.Paths)
	case e.head == standing.Head && e.branch == standing.Branch:
		return e.ws.TakePaths(ctx, work.Now.ID, standing.Tree, work.Paths)
	}
	head, err := e.ws.ImportCommit(ctx, e.head, work.Now.ID)
	if err != nil {
		return "", err
	}
	return e.ws.TakePaths(ctx, work.Now.ID, head, work.Paths)
}

// commit makes a commit on top of what the session builds on. Nothing refers to it until the checkout is
// entered.
func (e *reentry) commit(ctx context.Context, tree, message string) error {
	return e.Env.Points.Around("carry", func() error {
		id, err := e.ws.MakeCommit(ctx, tree, e.tip, message)
		if err == nil {
			e.tip, e.committed = id, tree
		}
		return err
	})
}

// refuseWork refuses to enter a checkout that has uncommitted work.
func (e *reentry) refuseWork(work workspace.PersonWork) error {
	list := work.Lines
	if len(list) > 10 {
		list = append(list[:10:10], fmt.Sprintf("and %d more", len(work.Lines)-10))
	}
	return usererror.Usage(fmt.Sprintf("session %s works on branch %s, and %s has uncommitted work:\n    %s", e.state.ID, e.state.Place.Branch, describeBranch(e.branch), strings.Join(list, "\n    ")),
		"commit or stash it first, or take it along with --carry")
}

// finish makes the SessionResumed of what was decided. from is the tree that the session continued with if
// nobody had done anything.
func (e *reentry) finish(from mulligan.Tree) {
	to := mulligan.Tree{ID: e.tree, Head: e.tip}
	if to.Head != e.state.Head && to.Head != from.Head {
		e.how.Head, e.how.Committed = to.Head, mulligan.Tree{ID: e.committed, Head: to.Head}
	}
	if to.ID != from.ID || to.Head != from.Head {
		e.how.Tree = to
	}
	e.how.Enter = &mulligan.Entry{Branch: e.state.Place.Branch, Tree: to}
}

// joinPaths returns paths on one line, as messages and commits name them.
func joinPaths(paths []string) string {
	more := ""
	if len(paths) > 10 {
		paths, more = paths[:10], fmt.Sprintf(" and %d more", len(paths)-10)
	}
	return text.OneLine(strings.Join(paths, ", ")) + more
}

// describeBranch returns what a person calls the branch, or no branch, that HEAD is on.
func describeBranch(branch string) string {
	if branch == "" {
		return "the detached HEAD"
	}
	return "branch " + branch
}
