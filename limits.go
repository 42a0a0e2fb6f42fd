package mulligan

import (
	"fmt"
	"time"

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

// ReachedLimit returns which limit of a budget is reached, also in words; "" if none is.
func (s Spending) ReachedLimit(b Budget) (limit, words string) {
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

// Account is what a session has spent.
type Account struct {
	Worked time.Duration
	Spent  Spending
	// SpentBefore, WorkedBefore and IterationsBefore are what was spent before `run` was given
	// again: the limits begin anew there.
	SpentBefore      Spending
	WorkedBefore     time.Duration
	IterationsBefore int
}
