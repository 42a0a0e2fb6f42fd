package loop

import (
	"context"
	"errors"
	"fmt"

	"mulligan"
	"mulligan/state"
)

// ErrNothingVerified is the error of a session that has no verified work.
var ErrNothingVerified = errors.New("the session has verified nothing")

// VerifyAgain runs the checks of a session's verified steps once more, on the work that they verified, in a proof made
// anew. It records nothing, and the session's process may run. output returns the path of a file for what a check prints.
// report is called with each check before it runs, with a nil verdict, and after it. The error is ErrNothingVerified if
// there is no such work.
func (s *Session) VerifyAgain(ctx context.Context, state *state.State, output func(n int) string, report func(check mulligan.CheckSpec, v *mulligan.Verdict)) error {
	s.adopt(state)
	tree := s.state.LastVerified()
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
func (s *Session) examineAgain(ctx context.Context, step mulligan.Step, index int, gate mulligan.Gate, tree mulligan.Tree, output string) (v mulligan.Verdict, err error) {
	at := s.state.FindStep(step.Name)
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
