package mulligan

import "slices"

// BaselineState is what a step's checks found before its first attempt.
type BaselineState struct {
	Tree     Tree // the workspace that they examined
	Verdicts []Verdict
	// Next is the index of the next check to run.
	Next int
}

// isComplete reports whether every check has run that is to.
func (b *BaselineState) isComplete(step *Step) bool { return b != nil && b.Next >= len(step.Checks) }

// find returns the verdict of a check, or nil if the check was not run.
func (b *BaselineState) find(check string) *Verdict {
	if b == nil {
		return nil
	}
	for _, v := range b.Verdicts {
		if v.Gate == check {
			return &v
		}
	}
	return nil
}

// forgetPartialBaseline drops a baseline that did not come to its end: the workspace, or the plan, is
// another now.
func (s *State) forgetPartialBaseline() {
	for i := range s.Steps {
		if b := s.Steps[i].Baseline; b != nil && i < len(s.Plan.Steps) && !b.isComplete(&s.Plan.Steps[i]) {
			s.Steps[i].Baseline = nil
		}
	}
}

func (s *State) applyBaselineChecked(b BaselineChecked) {
	base := s.stepState().Baseline
	s.countTime(b.Verdict.Duration)
	s.stepState().Baseline = &BaselineState{
		Tree: base.Tree, Next: b.Index + 1, Verdicts: append(slices.Clone(base.Verdicts), b.Verdict),
	}
}

func (s *State) applyBaselineEnded() {
	base := *s.stepState().Baseline
	base.Next = len(s.currentStep().Checks)
	s.stepState().Baseline = &base
}
