package mulligan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan/internal/text"
)

// maxRestarts is how often a round begins again because its tree has become another.
const maxRestarts = 2

// settleWrites makes the workspace ready for the next gate, and adds to the event what it has done: what
// the gate changed or deleted is put back, what it created stays. The writes of a check that keeps them
// become part of the work instead, if the check came to its end by itself.
func (s *Session) settleWrites(ctx context.Context, r round, ended *GateEnded) error {
	check := r.step.Checks[ended.Index]
	if check.Keep && ranToItsEnd(ended.Verdict) {
		if kept, err := s.keepWrites(ctx, r, ended); kept || err != nil {
			return err
		}
	}
	left, undone, err := s.undoWrites(ctx, r)
	if err != nil {
		return err
	}
	if left, err = s.removeForbidden(ctx, r, left, ended.Verdict.Gate); err != nil {
		return err
	}
	if left.ID != s.state.Tree.ID {
		ended.Left = left
	}
	ended.Undone = clipList(undone)
	if len(undone) == 0 || check.Keep || slices.Contains(s.state.UndoneBy, ended.Verdict.Gate) {
		return nil
	}
	return s.record(Noted{Text: fmt.Sprintf("check %q changed files of the work, and they were put back: %s; what a check writes is not committed (keep: true makes it part of the work)",
		ended.Verdict.Gate, strings.Join(clipList(undone), ", "))})
}

// ranToItsEnd reports whether a check gave its verdict by itself: one that was stopped may have left
// files half written.
func ranToItsEnd(v Verdict) bool {
	return v.Status == Pass || v.Status == Fail && !v.OutOfTime && v.Finding != nil && !v.Finding.CutShort
}

// undoWrites puts back what a gate has changed or deleted. On a branch that is not the session's own,
// what was committed meanwhile stays.
func (s *Session) undoWrites(ctx context.Context, r round) (left Tree, undone []string, err error) {
	left, undone, err = s.Workspace.UndoWrites(context.WithoutCancel(ctx), s.state.Tree, !s.state.Place.HasOwnBranch(), s.id+"/"+r.label)
	if err != nil {
		err = fmt.Errorf("looking at what the checks left: %w", err)
	}
	return left, undone, err
}

// keepWrites makes what a check has written the work, and reports whether it has. What other checks of
// the round have created does not become part of it: the round begins again. A check that still writes
// after that has been done often enough fails.
func (s *Session) keepWrites(ctx context.Context, r round, ended *GateEnded) (kept bool, err error) {
	st := &s.state
	before := st.treeForGate()
	tree, err := s.takeSnapshot(ctx, "%s", r.label)
	if err != nil {
		return false, fmt.Errorf("looking at what the checks left: %w", err)
	}
	if tree.ID == before.ID {
		return false, nil
	}
	if forbidden, err := s.breakKeeper(ctx, before, tree, r, ended); forbidden || err != nil {
		return false, err
	}
	paths, all, err := s.Workspace.Changed(context.WithoutCancel(ctx), before, tree, maxListed)
	if err != nil {
		return false, fmt.Errorf("looking at what the checks left: %w", err)
	}
	paths = addMore(paths, all-len(paths))
	if ended.Verdict.Status == Pass && st.Examination.Restarts >= maxRestarts {
		ended.Verdict = failUnstable(ended.Verdict, paths)
		return false, nil
	}
	if before.ID != st.Tree.ID {
		if err := s.removeCreated(ctx, before); err != nil {
			return false, err
		}
		if tree, err = s.takeSnapshot(ctx, "%s", r.label); err != nil {
			return false, fmt.Errorf("looking at what the checks left: %w", err)
		}
	}
	ended.Tree, ended.Kept = tree, paths
	what := "they are part of the work"
	if ended.Verdict.Status == Pass {
		what += ", and the checks begin again"
	}
	return true, s.record(Noted{Text: fmt.Sprintf("check %q wrote files: %s; %s", ended.Verdict.Gate, strings.Join(paths, ", "), what)})
}

// failUnstable returns the verdict of a check that passes, but never leaves the files alone.
func failUnstable(v Verdict, paths []string) Verdict {
	summary := fmt.Sprintf("unstable: it still writes files after the checks began again %s", text.Times(maxRestarts))
	f := Finding{Command: v.Gate}
	if v.Finding != nil {
		f = *v.Finding
	}
	f.Text = summary + ": " + strings.Join(paths, ", ") + "\n" + f.Text
	v.Status, v.Summary, v.Finding = Fail, summary, &f
	return v
}

// removeCreated removes what the gates have created, and which the tree left has.
func (s *Session) removeCreated(ctx context.Context, left Tree) error {
	st := &s.state
	if left.ID == "" || left.ID == st.Tree.ID {
		return nil
	}
	label := fmt.Sprintf("%s/%d-created", s.id, st.Iteration)
	if err := s.Workspace.RemoveCreated(context.WithoutCancel(ctx), st.Tree, left, label); err != nil {
		return fmt.Errorf("removing what the checks created: %w", err)
	}
	return nil
}

// undoInterrupted takes back what the gates of a round have written, when the session stops in the middle
// of one. A resumed session brings back what the gates before that one had created.
func (s *Session) undoInterrupted(ctx context.Context, r round) error {
	left, _, err := s.undoWrites(ctx, r)
	if err != nil {
		return err
	}
	return s.removeCreated(ctx, left)
}

// restoreForHooks brings back what the gates have created, for the post_iteration hooks of a session that
// another process began: it may have ended in order, and removed that.
func (s *Session) restoreForHooks(ctx context.Context) error {
	st := &s.state
	if s.ownTurn == st.Turn || st.NextHook >= len(st.Plan.Hooks[PostIteration]) {
		return nil
	}
	s.ownTurn = st.Turn
	if st.Left.ID == "" {
		return nil
	}
	if err := s.Workspace.RestoreCreated(context.WithoutCancel(ctx), st.Tree, st.Left); err != nil {
		return fmt.Errorf("bringing back what the checks created: %w", err)
	}
	return nil
}

// treeForGate returns the workspace as the next gate finds it.
func (s *State) treeForGate() Tree {
	if s.Left.ID != "" {
		return s.Left
	}
	return s.Tree
}

// maxListed is how many paths of a check's writes are named.
const maxListed = 20

// clipList returns the first paths of a list, and how many more there are.
func clipList(paths []string) []string {
	n := min(len(paths), maxListed)
	return addMore(paths[:n:n], len(paths)-n)
}

func addMore(paths []string, more int) []string {
	if more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return paths
}
