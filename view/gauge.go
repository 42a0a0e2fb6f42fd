package view

import (
	"fmt"
	"time"

	"mulligan"
)

// NearLimit is the part of a limit from which on a view warns.
const NearLimit = 0.8

// A Gauge is how much of a limit a session has used.
type Gauge struct {
	Name  string  // "time", "cost", "tokens" or "turns"
	Words string  // "$0.42 of $5.00"
	Part  float64 // from 0 to 1
}

// gaugeLimits returns the limits of a session and what it has used of each; none if it has no limits. running
// is what runs now, or nil if nothing does: its time is not in the account yet.
func gaugeLimits(l mulligan.Limits, a mulligan.Account, running *Activity) []Gauge {
	spent := a.Spent.Since(a.SpentBefore)
	var list []Gauge
	add := func(name, words string, used, limit float64) {
		if limit > 0 {
			list = append(list, Gauge{name, words, min(1, max(0, used/limit))})
		}
	}
	worked := a.Worked - a.WorkedBefore
	if running != nil && running.Kind != OfWait && running.Kind != OfCommit {
		worked += running.Elapsed
	}
	add("time", fmt.Sprintf("%s of %s", roundDuration(worked), roundDuration(l.Duration)), float64(worked), float64(l.Duration))
	add("cost", fmt.Sprintf("$%.2f of $%.2f", spent.Billed, l.CostUSD), spent.Billed, l.CostUSD)
	tokens := spent.Usage.InputTokens + spent.Usage.OutputTokens
	add("tokens", fmt.Sprintf("%s of %s", formatThousands(tokens), formatThousands(l.Tokens)), float64(tokens), float64(l.Tokens))
	turns := spent.Turns + spent.Judged
	add("turns", fmt.Sprintf("%d of %d", turns, l.Turns), float64(turns), float64(l.Turns))
	return list
}

// roundDuration returns a duration to the minute, or to the second under a minute.
func roundDuration(d time.Duration) string {
	switch d = max(0, d); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d%time.Hour < time.Minute:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
