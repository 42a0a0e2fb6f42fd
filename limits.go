package mulligan

import (
	"fmt"
	"math"

	"mulligan/internal/text"
)

// A Budget is what may be spent. 0 means no such limit.
type Budget struct {
	Turns   int     `json:"turns,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"` // billed; an estimate stops nothing
}

// Budget is what a session may spend in all.
func (l Limits) Budget() Budget {
	return Budget{Turns: l.Turns, Tokens: l.Tokens, CostUSD: l.CostUSD}
}

// Spending is what was spent, as limits count it.
type Spending struct {
	Turns  int // that agents were given, for whatever purpose
	Judged int // turns of judges, the agents that decide checks and answer for hooks: no attempt is made of them
	Usage  Usage
	Billed float64 // the cost that agents gave; an estimate is in Usage alone
}

// Since is what was spent after an earlier moment.
func (s Spending) Since(before Spending) Spending {
	s.Turns -= before.Turns
	s.Judged -= before.Judged
	s.Billed -= before.Billed
	s.Usage.InputTokens -= before.Usage.InputTokens
	s.Usage.OutputTokens -= before.Usage.OutputTokens
	s.Usage.CachedTokens -= before.Usage.CachedTokens
	s.Usage.Turns -= before.Usage.Turns
	s.Usage.CostUSD -= before.Usage.CostUSD
	return s
}

// Use counts what a turn cost.
func (s *Spending) Use(u Usage) {
	s.Usage.Add(u)
	if !u.Estimated {
		s.Billed += u.CostUSD
	}
}

// Add adds what another turn cost. A sum is an estimate where a part of it is.
func (u *Usage) Add(more Usage) {
	u.InputTokens += more.InputTokens
	u.OutputTokens += more.OutputTokens
	u.CachedTokens += more.CachedTokens
	u.Turns += more.Turns
	u.CostUSD += more.CostUSD
	u.Estimated = u.Estimated || more.Estimated
}

// rounding is what sums of dollars may lose.
const rounding = 1e-9

// reachedLimit returns which limit of a budget is reached, also in words; "" if none is.
func (s Spending) reachedLimit(b Budget) (limit, words string) {
	tokens := s.Usage.InputTokens + s.Usage.OutputTokens
	switch {
	case b.Turns > 0 && s.Turns+s.Judged >= b.Turns:
		words = fmt.Sprintf("limit of %s is reached", text.Count(b.Turns, "turn"))
		if s.Judged > 0 {
			words += fmt.Sprintf(": %s, and %s of judges", text.Count(s.Turns, "turn"), text.Count(s.Judged, "turn"))
		}
		return "turns", words
	case b.Tokens > 0 && tokens >= b.Tokens:
		return "tokens", fmt.Sprintf("limit of %d tokens is reached: %d were used", b.Tokens, tokens)
	case b.CostUSD > 0 && s.Billed+rounding >= b.CostUSD:
		return "cost_usd", fmt.Sprintf("limit of $%.2f is reached: $%.2f were spent", b.CostUSD, s.Billed)
	}
	return "", ""
}

// countedSpending returns what the limits of the session count: what was spent since `run` was given.
func (s *State) countedSpending() Spending { return s.Spent.Since(s.SpentBefore) }

// Spending returns what the limits of the step count.
func (s StepState) Spending() Spending { return s.Spent.Since(s.SpentBefore) }

// BudgetUSD returns what may still be billed, for agents that can hold to it; 0 means no limit.
func (s *State) BudgetUSD() float64 {
	left := math.Inf(1)
	if limit := s.Plan.Limits.CostUSD; limit > 0 {
		left = limit - s.countedSpending().Billed
	}
	if step := s.runningStep(); step != nil {
		if limit := s.Plan.Steps[s.Step].Limits.CostUSD; limit > 0 {
			left = min(left, limit-step.Spending().Billed)
		}
	}
	if math.IsInf(left, 1) {
		return 0
	}
	return max(left, 0.01)
}

// attemptLimit returns the outcome of a session that may not begin another attempt, and reports
// whether it may not.
func (s *Session) attemptLimit() (Outcome, bool) {
	st, l := &s.state, s.state.Plan.Limits
	switch {
	case l.FailedIterations > 0 && st.FailedRow >= l.FailedIterations:
		why := fmt.Sprintf("the agent failed %d times in a row: %s", st.FailedRow, st.currentAttempt().Reason)
		return Outcome{Ended: AgentUnavailable, Reason: why}, true
	case st.Plan.Loop != nil && st.Plan.Loop.Iterations > 0 && st.Iteration-st.IterationsBefore >= st.Plan.Loop.Iterations:
		why := fmt.Sprintf("the limit of %s is reached", text.Count(st.Plan.Loop.Iterations, "iteration"))
		return s.limitOutcome("iterations", why+st.describeFailedRow()), true
	case s.step().Timeout > 0 && s.stepState().Worked >= s.step().Timeout:
		return s.stepTimeOutcome(), true
	}
	return s.turnLimit()
}

// describeFailedRow returns how many of the last iterations the agent failed, and why it failed the
// last, as the end of a sentence; "" if it failed none.
func (s *State) describeFailedRow() string {
	a := s.currentAttempt()
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

// turnLimit does the same for a session that may not give another turn, whatever the turn is for. The
// final delivery runs even at a limit.
func (s *Session) turnLimit() (Outcome, bool) {
	st, l := &s.state, s.state.Plan.Limits
	if st.Final != nil {
		return Outcome{}, false
	}
	if l.Duration > 0 && st.Worked-st.WorkedBefore >= l.Duration {
		return s.limitOutcome("duration", fmt.Sprintf("the limit of %s is reached", l.Duration)), true
	}
	if limit, words := st.countedSpending().reachedLimit(l.Budget()); limit != "" {
		return s.limitOutcome(limit, "the "+words), true
	}
	step := st.runningStep()
	if step == nil {
		return Outcome{}, false
	}
	limit, words := step.Spending().reachedLimit(s.step().Limits)
	if limit == "" {
		return Outcome{}, false
	}
	o := s.limitOutcome(limit, fmt.Sprintf("step %q: its %s", step.Name, words))
	o.LimitOf = step.Name
	return o, true
}

func (s *Session) limitOutcome(limit, why string) Outcome {
	o := Outcome{Ended: LimitReached, Limit: limit, Reason: why}
	if a := s.state.currentAttempt(); a != nil {
		if v := a.Last(); v != nil && v.Status != Pass {
			o.Evidence = v
		}
	}
	return o
}

// stepTimeOutcome returns the outcome of a session whose step has had its time.
func (s *Session) stepTimeOutcome() Outcome {
	o := s.limitOutcome("timeout", s.stepTimeReason())
	o.LimitOf = s.step().Name
	return o
}

func (s *Session) stepTimeReason() string {
	return fmt.Sprintf("step %q took longer than its timeout of %s", s.step().Name, s.step().Timeout)
}
