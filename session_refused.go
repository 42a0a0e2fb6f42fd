package mulligan

import (
	"context"
	"errors"
	"fmt"

	"mulligan/internal/text"
)

// A RefusedError means that git does not add all of a tree to a commit, because of what the tree has.
type RefusedError struct {
	Found []Unheld // at least one
}

func (e *RefusedError) Error() string {
	words := e.Found[0].describe()
	if more := len(e.Found) - 1; more > 0 {
		words += ", and " + text.Count(more, "other path")
	}
	return words
}

// describeRefused is describe for what git refuses to add.
func (u Unheld) describeRefused() string {
	path, reason := text.Clip(text.QuotePath(u.Path), 300), text.Clip(text.OneLine(u.ID), 300)
	switch u.Kind {
	case UnheldName:
		why := ", because some system would take it for git's own"
		if u.ID != "" {
			why = " for " + reason
		}
		return fmt.Sprintf("%s is a name that git refuses%s: give it another name, or remove it", path, why)
	case UnheldObject:
		return fmt.Sprintf("%s: the repository has something else under the id of its content, %s, or cannot read it, in a pack: `git fsck` names it; remove that pack, or make it anew", path, reason)
	case UnheldUnreadable:
		return path + " cannot be read, so that a commit lacks it: make it readable (chmod u+rwX), or remove it; list it in .gitignore if it is no part of the work"
	case UnheldTooLong:
		return path + " has paths in it that are longer than the system allows, so that a commit lacks them: remove the folder, or use shorter names"
	case UnheldCheckout:
		return u.describeCheckout()
	default:
	}
	words := fmt.Sprintf("git refuses to add %s: %s", path, reason)
	if u.Rule != "" {
		words += fmt.Sprintf("; %s: correct that line or the file", text.Clip(text.OneLine(u.Rule), 300))
	}
	return words
}

// describeCheckout is describe for a file that a clone of the commit would have in another way than the gates saw it.
func (u Unheld) describeCheckout() string {
	words := "a clone of the commit would have other bytes in " + text.Clip(text.QuotePath(u.Path), 300) + " than the checks saw"
	if u.ID != "" {
		words = fmt.Sprintf("a clone of the commit could not write %s (%s)", text.Clip(text.QuotePath(u.Path), 300), text.Clip(text.OneLine(u.ID), 300))
	}
	if u.Rule == "" {
		return words + ", because a .gitattributes file was changed: undo that, or let the file have the bytes that git checks out, and the checks run again"
	}
	return fmt.Sprintf("%s; %s: take that line out, or let the file have the bytes that git checks out by it, and the checks run again", words, text.Clip(text.OneLine(u.Rule), 300))
}

// failRefused ends a round whose gates have passed if git refuses to add what they saw, or a clone would have something
// else, and reports whether that is so.
// Objects that were planted in the repository are put aside on the way, and recorded.
func (s *Session) failRefused(ctx context.Context, r round) (failed bool, err error) {
	st := &s.state
	if !st.Plan.Git.Commit || st.Tree.ID == "" || st.Final != nil && (!s.canCommitDelivery() || st.Tree.ID == st.Final.Before.ID) {
		return false, nil
	}
	parent, err := s.chooseParent(ctx, st.Tree)
	if err != nil {
		return false, nil // the commit meets it too, and knows what to do
	}
	dropped, err := s.Workspace.TryCommit(context.WithoutCancel(ctx), st.Tree, parent, st.Place.Base)
	if noted := s.recordGit(GitByAgent, dropped); noted != nil {
		return false, noted
	}
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok {
		if err != nil {
			err = fmt.Errorf("trying whether the work can be committed: %w", err)
		}
		return false, err
	}
	v := newUnheldVerdict(refused.Found)
	// The view lists it after the step's own checks.
	if err := s.record(GateEnded{Index: len(r.step.Checks), Verdict: v}); err != nil {
		return true, err
	}
	return true, r.fail(ctx, v)
}

// skipCommit moves a loop on after an iteration that git refuses to commit. What it left is part of the next commit.
func (s *Session) skipCommit(refused *RefusedError) error {
	st := &s.state
	return s.record(Noted{Text: fmt.Sprintf("iteration %d is not committed: %v", st.Iteration, refused)},
		IterationKept{Iteration: st.Iteration, Tree: st.CommittedTree, Checks: s.checksStatus()})
}
