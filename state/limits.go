package state

import (
	"fmt"
	"math"

	"mulligan"
	"mulligan/internal/text"
)

// CountedSpending returns what the limits of the session count: what was spent since `run` was given.
func (s *State) CountedSpending() mulligan.Spending { return s.Spent.Since(s.SpentBefore) }

// BudgetUSD returns what may still be billed, for agents that can hold to it; 0 means no limit.
func (s *State) BudgetUSD() float64 {
	left := math.Inf(1)
	if limit := s.Plan.Limits.CostUSD; limit > 0 {
		left = limit - s.CountedSpending().Billed
	}
	if step := s.RunningStep(); step != nil {
		if limit := s.Plan.Steps[s.Step].Limits.CostUSD; limit > 0 {
			left = min(left, limit-step.Spending().Billed)
		}
	}
	if math.IsInf(left, 1) {
		return 0
	}
	return max(left, 0.01)
}

// DescribeFailedRow returns how many of the last iterations the agent failed, and why it failed the
// last, as the end of a sentence; "" if it failed none.
func (s *State) DescribeFailedRow() string {
	a := s.CurrentAttempt()
	if s.FailedRow == 0 || a == nil {
		return ""
	}
	which := fmt.Sprintf("in the last %d of them", s.FailedRow)
	switch n := s.Iteration - s.IterationsBefore; {
	case n == 1:
		which = "in it"
	case s.FailedRow >= n:
		which = "in all of them"
	case s.FailedRow == 1:
		which = "in the last of them"
	}
	return fmt.Sprintf("; %s the agent failed: %s", which, text.Clip(text.OneLine(a.Reason), 500))
}
