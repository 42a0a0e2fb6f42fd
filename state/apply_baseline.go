package state

import (
	"slices"

	"mulligan"
)

// forgetPartialBaseline drops a baseline that did not come to its end: the workspace, or the plan, is
// another now.
func (s *State) forgetPartialBaseline() {
	for i := range s.Steps {
		if b := s.Steps[i].Baseline; b != nil && i < len(s.Plan.Steps) && !b.IsComplete(&s.Plan.Steps[i]) {
			s.Steps[i].Baseline = nil
		}
	}
}

func (s *State) applyBaselineChecked(b mulligan.BaselineChecked) {
	base := s.StepState().Baseline
	s.countTime(b.Verdict.Duration)
	s.StepState().Baseline = &mulligan.BaselineState{
		Tree: base.Tree, Next: b.Index + 1, Verdicts: append(slices.Clone(base.Verdicts), b.Verdict),
	}
}

func (s *State) applyBaselineEnded() {
	base := *s.StepState().Baseline
	base.Next = len(s.CurrentStep().Checks)
	s.StepState().Baseline = &base
}
