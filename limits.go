package mulligan

import (
	"fmt"
	"math"
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
	Judged int // turns of judges, the agents that answer for hooks: no attempt is made of them
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

// reached says which limit of a budget is, and in words; "" where none is.
func (s Spending) reached(b Budget) (limit, words string) {
	tokens := s.Usage.InputTokens + s.Usage.OutputTokens
	switch {
	case b.Turns > 0 && s.Turns+s.Judged >= b.Turns:
		words = fmt.Sprintf("limit of %s is reached", counted(b.Turns, "turn"))
		if s.Judged > 0 {
			words += fmt.Sprintf(": %s, and %s of judges", counted(s.Turns, "turn"), counted(s.Judged, "turn"))
		}
		return "turns", words
	case b.Tokens > 0 && tokens >= b.Tokens:
		return "tokens", fmt.Sprintf("limit of %d tokens is reached: %d were used", b.Tokens, tokens)
	case b.CostUSD > 0 && s.Billed+rounding >= b.CostUSD:
		return "cost_usd", fmt.Sprintf("limit of $%.2f is reached: $%.2f were spent", b.CostUSD, s.Billed)
	}
	return "", ""
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// spending is what the limits of the session count: what was spent since `run` was said.
func (s *State) spending() Spending { return s.Spent.Since(s.SpentBefore) }

// Spending is the same for the limits of the step.
func (s StepState) Spending() Spending { return s.Spent.Since(s.SpentBefore) }

// stepAt is the step under way, nil where what happens belongs to the session alone: before
// the first step, and while the session ends.
func (s *State) stepAt() *StepState {
	if s.Ending != nil || s.Step >= len(s.Steps) || s.Steps[s.Step].Status != StatusRunning {
		return nil
	}
	return &s.Steps[s.Step]
}

// BudgetUSD is what may still be billed, for agents that can hold to it; 0: there is no limit.
func (s *State) BudgetUSD() float64 {
	left := math.Inf(1)
	if limit := s.Plan.Limits.CostUSD; limit > 0 {
		left = limit - s.spending().Billed
	}
	if step := s.stepAt(); step != nil {
		if limit := s.Plan.Steps[s.Step].Limits.CostUSD; limit > 0 {
			left = min(left, limit-step.Spending().Billed)
		}
	}
	if math.IsInf(left, 1) {
		return 0
	}
	return max(left, 0.01)
}

// limit says whether the session may not begin another attempt.
func (s *Session) limit() (Outcome, bool) {
	st, l := &s.state, s.state.Plan.Limits
	switch {
	case l.FailedIterations > 0 && st.FailedRow >= l.FailedIterations:
		why := fmt.Sprintf("the agent failed %d times in a row: %s", st.FailedRow, st.attempt().Reason)
		return Outcome{Ended: AgentUnavailable, Reason: why}, true
	case st.Plan.Loop != nil && st.Plan.Loop.Iterations > 0 && st.Iteration-st.IterationsBefore >= st.Plan.Loop.Iterations:
		return s.limited("iterations", fmt.Sprintf("the limit of %s is reached", counted(st.Plan.Loop.Iterations, "iteration"))), true
	case s.step().Timeout > 0 && s.current().Worked >= s.step().Timeout:
		return s.timedOut(), true
	}
	return s.spent()
}

// spent says whether no further turn may be given, whatever it is for.
func (s *Session) spent() (Outcome, bool) {
	st, l := &s.state, s.state.Plan.Limits
	if l.Duration > 0 && st.Worked-st.WorkedBefore >= l.Duration {
		return s.limited("duration", fmt.Sprintf("the limit of %s is reached", l.Duration)), true
	}
	if limit, words := st.spending().reached(l.Budget()); limit != "" {
		return s.limited(limit, "the "+words), true
	}
	step := st.stepAt()
	if step == nil {
		return Outcome{}, false
	}
	limit, words := step.Spending().reached(s.step().Limits)
	if limit == "" {
		return Outcome{}, false
	}
	o := s.limited(limit, fmt.Sprintf("step %q: its %s", step.Name, words))
	o.LimitOf = step.Name
	return o, true
}

func (s *Session) limited(limit, why string) Outcome {
	o := Outcome{Ended: LimitReached, Limit: limit, Reason: why}
	if a := s.state.attempt(); a != nil {
		if v := a.Last(); v != nil && v.Status != Pass {
			o.Evidence = v
		}
	}
	return o
}

// timedOut is a step that has had its time.
func (s *Session) timedOut() Outcome {
	o := s.limited("timeout", s.stepTimeReason())
	o.LimitOf = s.step().Name
	return o
}

func (s *Session) stepTimeReason() string {
	return fmt.Sprintf("step %q took longer than its timeout of %s", s.step().Name, s.step().Timeout)
}
