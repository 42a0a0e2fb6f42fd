package mulligan

import (
	"context"
	"errors"
	"fmt"
)

// ErrNothingVerified is the error of a session that has no verified work.
var ErrNothingVerified = errors.New("the session has verified nothing")

// VerifyAgain runs the checks of a session's verified steps once more, on the work that they verified, in a proof made
// anew. It records nothing, and the session's process may run. output returns the path of a file for what a check prints.
// report is called with each check before it runs, with a nil verdict, and after it. The error is ErrNothingVerified if
// there is no such work.
func (s *Session) VerifyAgain(ctx context.Context, state *State, output func(n int) string, report func(check CheckSpec, v *Verdict)) error {
	s.adopt(state)
	tree := s.state.lastVerified()
	if tree.ID == "" {
		return ErrNothingVerified
	}
	if err := s.Proof.LayFresh(ctx, tree); err != nil {
		return fmt.Errorf("making the proof: %w", err)
	}
	n := 0
	for i, step := range s.state.Plan.Steps {
		gates, err := s.Gates(step)
		if err != nil {
			return err
		}
		for index, check := range step.Checks {
			if !s.state.Steps[i].Done() && s.state.Plan.Loop == nil || check.Inverted || check.Agent != "" || check.Final && !s.state.Steps[i].Done() {
				continue
			}
			report(check, nil)
			n++
			v, err := s.examineAgain(ctx, step, index, gates[index], tree, output(n))
			if err != nil {
				return err
			}
			report(check, &v)
		}
	}
	return ctx.Err()
}

// examineAgain runs one check on a tree in the proof.
func (s *Session) examineAgain(ctx context.Context, step Step, index int, gate Gate, tree Tree, output string) (v Verdict, err error) {
	at := s.state.findStep(step.Name)
	r := round{step: step, attempt: s.state.Steps[at].Used()}
	golden, err := s.layGolden(ctx, r, index, tree)
	if err != nil {
		return v, err
	}
	if err := s.layProof(ctx, golden.laid); err != nil {
		return v, err
	}
	w := s.newWork(r, index)
	w.Output = output
	v = gate.Examine(ctx, w)
	if ctx.Err() != nil {
		return v, ctx.Err()
	}
	return s.compareToBaseline(r, golden.tell(v)), nil
}

// lastVerified returns the tree that the last verified step left, or the last iteration of a loop that was kept; the zero
// tree if there is none.
func (s *State) lastVerified() Tree {
	if s.Plan.Loop != nil && s.Head != s.Place.Base {
		return Tree{ID: s.CommittedTree.ID, Head: s.Head}
	}
	var last Tree
	for _, step := range s.Steps {
		if step.Done() {
			last = step.Tree
		}
	}
	if last.ID != "" && s.Final != nil && s.Plan.Git.Commit {
		return Tree{ID: s.CommittedTree.ID, Head: s.Head} // the final delivery may have added to it
	}
	return last
}
