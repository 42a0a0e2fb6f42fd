package loop

import (
	"context"
	"fmt"

	"mulligan"
)

// takeBaseline runs the checks of a step that wants it before its first attempt, each once, and reports
// whether that is done. Judges, checks that are expected to fail and those
// that keep their writes are left out: they have no failures to tell apart.
func (s *Session) takeBaseline(ctx context.Context) (done bool, err error) {
	step, ss := s.step(), s.stepState()
	if step.Baseline == mulligan.BaselineOff || len(ss.Attempts) > 0 || ss.Earlier > 0 || ss.Baseline.IsComplete(step) {
		return true, nil
	}
	if err := s.beginBaseline(ctx); err != nil {
		return false, err
	}
	gates, err := s.Gates(*step)
	if err != nil {
		return false, err
	}
	for i := ss.Baseline.Next; i < len(gates); i++ {
		check := step.Checks[i]
		if check.Agent != "" || check.Inverted || check.Keep {
			continue
		}
		v, err := s.runBaselineCheck(ctx, gates[i], i)
		if err != nil || s.isStopped(ctx) {
			return false, err
		}
		if err := s.record(mulligan.BaselineChecked{Step: step.Name, Index: i, Verdict: v}); err != nil {
			return false, err
		}
	}
	return true, s.record(mulligan.BaselineEnded{Step: step.Name})
}

// beginBaseline records what the checks are to examine. A baseline that an earlier process began is
// continued on the tree that it began with.
func (s *Session) beginBaseline(ctx context.Context) error {
	b := s.stepState().Baseline
	if b != nil && !s.ownBaseline {
		s.ownBaseline = true
		if err := s.restoreTree(ctx, b.Tree, "%d-baseline-cut-short", s.state.Iteration+1); err != nil {
			return fmt.Errorf("putting the workspace back to what the checks before the first attempt found: %w", err)
		}
	}
	if b != nil {
		return nil
	}
	tree, err := s.takeSnapshot(ctx, "%d-baseline", s.state.Iteration+1)
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	s.ownBaseline = true
	return s.record(mulligan.BaselineStarted{Step: s.step().Name, Tree: tree})
}

// runBaselineCheck has a check examine the work as it is before the first attempt.
func (s *Session) runBaselineCheck(ctx context.Context, gate mulligan.Gate, index int) (v mulligan.Verdict, err error) {
	st, check := &s.state, s.step().Checks[index]
	w := mulligan.Work{
		Session: s.id, Step: s.step().Name, Iteration: st.Iteration + 1, Dir: s.Proof.Dir(), Live: s.Records.Live(),
		Task: st.Plan.Task.Text,
	}
	if w.Output, err = s.Records.GateOutput(st.Turn, index, 0); err != nil {
		return v, err
	}
	if err := s.flush(ctx); err != nil {
		return v, err
	}
	if err := s.layProof(ctx, s.stepState().Baseline.Tree); err != nil {
		return v, err
	}
	began, limit := s.Clock.Now(), s.limitToStep()
	err = s.serveDuring(ctx, func(outer context.Context) {
		ctx, cancel := limit(outer)
		defer cancel()
		v = gate.Examine(ctx, w)
	})
	if err != nil {
		return v, err
	}
	v.Gate, v.Duration = check.Name, s.since(began)
	return v, nil
}

// compareToBaseline adds to a verdict how it relates to what the check found before the first attempt. A
// check that fails passes if all its failures were there before, and the step does not want them fixed.
func (s *Session) compareToBaseline(r round, v mulligan.Verdict) mulligan.Verdict {
	step := r.step
	if r.attempt == 0 || step.Baseline == mulligan.BaselineOff || v.Status == mulligan.Broken || v.OutOfTime || v.Vacuous {
		return v
	}
	before := s.state.Steps[s.state.FindStep(step.Name)].Baseline.Find(v.Gate)
	if before == nil || before.Finding == nil || v.Finding == nil || s.Compare == nil {
		return v
	}
	c := s.Compare(*before, v)
	if before.Status == mulligan.Fail && v.Status == mulligan.Fail || c.Fewer > 0 {
		v.Baseline = &c
	}
	if v.Status == mulligan.Fail && step.Baseline == mulligan.BaselineNew && c.Untold == "" && len(c.New) == 0 && len(c.Old) > 0 && before.Status == mulligan.Fail {
		v.Status = mulligan.Pass
		v.Summary = fmt.Sprintf("%s before the first attempt; nothing new fails", mulligan.WereThere(len(c.Old)))
	}
	return v
}
