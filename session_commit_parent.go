package mulligan

import (
	"context"
	"fmt"
)

// chooseParent returns the commit that the next one goes on top of. On the session's own branch that is
// the last verified one: what the agent has committed since is folded in. On a branch that is not its own
// nothing is folded, and the branch never moves backwards: it is what is there.
func (s *Session) chooseParent(ctx context.Context, tree Tree) (string, error) {
	st := &s.state
	if st.Place.HasOwnBranch() {
		return st.Head, nil
	}
	ctx = context.WithoutCancel(ctx)
	tip, onBranch, err := s.Workspace.Tip(ctx)
	if err != nil || tip == st.Head || tip == "" {
		return st.Head, err
	}
	behind, err := s.Workspace.Contains(ctx, st.Head, tip)
	switch {
	case err != nil:
		return "", err
	case behind: // it was taken back, and goes forward again
		return st.Head, nil
	case tip == tree.Head:
		return tip, nil
	case onBranch:
		return "", ErrBranchMoved
	}
	return "", fmt.Errorf("the branch %s has moved to %.10s while HEAD was elsewhere, and the work does not have that commit; `git switch %s`, then `mulligan resume`", st.Place.Branch, tip, st.Place.Branch)
}

// restartRound has the gates examine again, on what is there now: commits have come on top of what they
// saw. Once that has happened too often it is an error.
func (s *Session) restartRound(ctx context.Context) error {
	st := &s.state
	if st.Examination.Restarts >= maxRestarts {
		return fmt.Errorf("%w, again and again; end what commits to %s, then `mulligan resume`", ErrBranchMoved, st.Place.Branch)
	}
	tree, err := s.takeSnapshot(ctx, "%d-moved", st.Iteration)
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	reason := fmt.Sprintf("%s, which is not the session's own branch, has a new commit (%.10s): the checks begin again with it", st.Place.Branch, tree.Head)
	return s.record(Noted{Text: reason}, RoundRestarted{Tree: tree, Reason: reason})
}
