package state

import (
	"slices"

	"mulligan"
)

// FailedRuns counts the runs of a check in a row, up to the last, that failed in this round.
func (s *State) FailedRuns(check string) int {
	n := 0
	for _, v := range slices.Backward(s.RoundVerdicts()) {
		if v.Gate != check || v.Status == mulligan.Pass {
			break
		}
		if v.Status == mulligan.Fail {
			n++
		}
	}
	return n
}

// RoundVerdicts returns the verdicts of the attempt, or of the final delivery.
func (s *State) RoundVerdicts() []mulligan.Verdict {
	if s.Final != nil {
		return s.Final.Verdicts
	}
	if a := s.CurrentAttempt(); a != nil {
		return a.Verdicts
	}
	return nil
}

// PassedBefore returns the newest passing verdict of each of the checks that has one: those of this
// round, because a round ends with the first check that does not pass.
func (s *State) PassedBefore(checks []mulligan.CheckSpec) []mulligan.Verdict {
	var passed []mulligan.Verdict
	all := s.RoundVerdicts()
	for _, check := range checks {
		for _, v := range slices.Backward(all) {
			if v.Gate == check.Name && v.Status == mulligan.Pass {
				passed = append(passed, v)
				break
			}
		}
	}
	return passed
}
