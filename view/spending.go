package view

import (
	"fmt"
	"strings"

	"mulligan"
)

// spender is the step that what is spent now counts for, nil where that is the session alone.
func (m *Model) spender() *Step {
	step := m.snap.Step()
	if m.snap.Ending != nil || step == nil || step.Status != Running {
		return nil
	}
	return step
}

// countTurn counts a turn that begins. One that is given again is the same turn.
func (m *Model) countTurn(n int) {
	if n <= m.turns {
		return
	}
	m.turns = n
	if step := m.spender(); step != nil {
		step.Spent.Turns++
	}
}

func (m *Model) countJudge(u mulligan.Usage) {
	m.snap.Judged++
	if step := m.spender(); step != nil {
		step.Spent.Judged++
	}
	m.use(u)
}

func (m *Model) use(u mulligan.Usage) {
	m.snap.Usage.Add(u)
	if step := m.spender(); step != nil {
		step.Spent.Use(u)
	}
}

// Budget is what of its limits the step has spent: "2 of 3 turns, $0.60 of $1.00"; "" where it
// has none.
func (s Step) Budget() string {
	var parts []string
	if l := s.Limits.Turns; l > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s", s.Spent.Turns+s.Spent.Judged, Count(l, "turn")))
	}
	if l := s.Limits.Tokens; l > 0 {
		used := s.Spent.Usage.InputTokens + s.Spent.Usage.OutputTokens
		parts = append(parts, fmt.Sprintf("%s of %s tokens", thousands(used), thousands(l)))
	}
	if l := s.Limits.CostUSD; l > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f of $%.2f", s.Spent.Billed, l))
	}
	return strings.Join(parts, ", ")
}
