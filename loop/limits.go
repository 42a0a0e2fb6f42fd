package loop

import (
	"fmt"

	"mulligan"
	"mulligan/internal/text"
)

// attemptLimit returns the outcome of a session that may not begin another attempt, and reports
// whether it may not.
func (s *Session) attemptLimit() (mulligan.Outcome, bool) {
	st, l := &s.state, s.state.Plan.Limits
	switch {
	case l.FailedIterations > 0 && st.FailedRow >= l.FailedIterations:
		why := fmt.Sprintf("the agent failed %d times in a row: %s", st.FailedRow, st.CurrentAttempt().Reason)
		return mulligan.Outcome{Ended: mulligan.AgentUnavailable, Reason: why}, true
	case st.Plan.Loop != nil && st.Plan.Loop.Iterations > 0 && st.Iteration-st.IterationsBefore >= st.Plan.Loop.Iterations:
		why := fmt.Sprintf("the limit of %s is reached", text.Count(st.Plan.Loop.Iterations, "iteration"))
		return s.limitOutcome("iterations", why+st.DescribeFailedRow()), true
	case s.step().Timeout > 0 && s.stepState().Worked >= s.step().Timeout:
		return s.stepTimeOutcome(), true
	}
	return s.turnLimit()
}

// turnLimit does the same for a session that may not give another turn, whatever the turn is for. The
// final delivery runs even at a limit.
func (s *Session) turnLimit() (mulligan.Outcome, bool) {
	st, l := &s.state, s.state.Plan.Limits
	if st.Final != nil {
		return mulligan.Outcome{}, false
	}
	if l.Duration > 0 && st.Worked-st.WorkedBefore >= l.Duration {
		return s.limitOutcome("duration", fmt.Sprintf("the limit of %s is reached", l.Duration)), true
	}
	if limit, words := st.CountedSpending().ReachedLimit(l.Budget()); limit != "" {
		return s.limitOutcome(limit, "the "+words), true
	}
	step := st.RunningStep()
	if step == nil {
		return mulligan.Outcome{}, false
	}
	limit, words := step.Spending().ReachedLimit(s.step().Limits)
	if limit == "" {
		return mulligan.Outcome{}, false
	}
	o := s.limitOutcome(limit, fmt.Sprintf("step %q: its %s", step.Name, words))
	o.LimitOf = step.Name
	return o, true
}

func (s *Session) limitOutcome(limit, why string) mulligan.Outcome {
	o := mulligan.Outcome{Ended: mulligan.LimitReached, Limit: limit, Reason: why}
	if a := s.state.CurrentAttempt(); a != nil {
		if v := a.Last(); v != nil && v.Status != mulligan.Pass {
			o.Evidence = v
		}
	}
	return o
}

// stepTimeOutcome returns the outcome of a session whose step has had its time.
func (s *Session) stepTimeOutcome() mulligan.Outcome {
	o := s.limitOutcome("timeout", s.stepTimeReason())
	o.LimitOf = s.step().Name
	return o
}

func (s *Session) stepTimeReason() string {
	return fmt.Sprintf("step %q took longer than its timeout of %s", s.step().Name, s.step().Timeout)
}
