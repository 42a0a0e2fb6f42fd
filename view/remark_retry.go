package view

import (
	"strings"

	"mulligan"
)

// remarkDecision tells how a step goes on after a failed attempt, where that is not a plain retry.
func remarkDecision(b mulligan.Decided) []Remark {
	switch {
	case b.Retry && b.Strategy != "" && (b.Strategy != mulligan.StrategyRetry || b.By == mulligan.ByPerson):
		return newRemark(Warn, "strategy "+Line(b.Strategy), b.Reason, Chooser(b.By), RuledWords(b.Ruled))
	case !b.Retry && b.By == mulligan.ByPerson:
		return newRemark(Warn, "no further attempt", Chooser(b.By))
	}
	return nil
}

// Chooser returns who chose a strategy, "" where nobody was asked.
func Chooser(by string) string {
	switch by {
	case mulligan.ByPerson:
		return "chosen by a person"
	case mulligan.ByDefault:
		return "nobody answered"
	}
	return ""
}

// RuledWords returns which strategies were not taken because nobody agreed to them.
func RuledWords(ruled []string) string {
	if len(ruled) == 0 {
		return ""
	}
	return "not " + Line(strings.Join(ruled, ", ")) + ": nobody agreed to it"
}
