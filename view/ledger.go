package view

import (
	"fmt"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// Ledger returns what a session has spent, in a few words: "2 turns and 1 of judges, 41s of turns and
// checks, 24.6k tokens in (20.0k cached), 1.7k out, ≈$0.12".
func Ledger(turns, judged int, worked time.Duration, u mulligan.Usage) string {
	var taken, work string
	switch {
	case judged > 0 && turns > 0:
		taken = fmt.Sprintf("%s and %d of judges", text.Count(turns, "turn"), judged)
	case judged > 0:
		taken = text.Count(judged, "turn") + " of judges"
	case turns > 0:
		taken = text.Count(turns, "turn")
	}
	if worked > 0 {
		work = Duration(worked) + " of turns and checks"
	}
	return Join(", ", taken, work, Spent(u))
}

// Spent returns the usage in a few words, "" if the agent reported none.
func Spent(u mulligan.Usage) string {
	var tokens, cached, cost string
	if u.CachedTokens > 0 {
		cached = fmt.Sprintf(" (%s cached)", formatThousands(u.CachedTokens))
	}
	if u.InputTokens+u.OutputTokens > 0 {
		tokens = fmt.Sprintf("%s tokens in%s, %s out", formatThousands(u.InputTokens), cached, formatThousands(u.OutputTokens))
	}
	if u.CostUSD > 0 {
		cost = costWords(u)
	}
	return Join(", ", tokens, cost)
}

// SpentForms returns the usage as Spent does, and in shorter words, the longest first: people watch the cost.
func SpentForms(u mulligan.Usage) []string {
	whole := u
	u.CachedTokens = 0
	forms := []string{Spent(whole), Spent(u)}
	if u.CostUSD > 0 {
		forms = append(forms, costWords(u))
	}
	return forms
}

// costWords returns a cost, marked if it is an estimate.
func costWords(u mulligan.Usage) string {
	about, places := "", 2
	if u.Estimated {
		about = "≈"
	}
	if u.CostUSD < 0.01 {
		places = 4
	}
	return fmt.Sprintf("%s$%.*f", about, places, u.CostUSD)
}
