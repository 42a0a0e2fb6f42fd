package view

import (
	"fmt"
	"strings"
	"time"

	"mulligan"
)

// Ledger returns what a session has spent, in a few words: "2 turns and 1 of judges, 41s of turns and
// checks, 24.6k tokens in (20.0k cached), 1.7k out, ≈$0.12".
func Ledger(turns, judged int, worked time.Duration, u mulligan.Usage) string {
	var parts []string
	if turns > 0 {
		parts = append(parts, Count(turns, "turn"))
	}
	switch {
	case judged > 0 && turns > 0:
		parts[0] += fmt.Sprintf(" and %d of judges", judged)
	case judged > 0:
		parts = append(parts, Count(judged, "turn")+" of judges")
	}
	if worked > 0 {
		parts = append(parts, Duration(worked)+" of turns and checks")
	}
	if spent := Spent(u); spent != "" {
		parts = append(parts, spent)
	}
	return strings.Join(parts, ", ")
}

// Spent returns the usage in a few words, "" if the agent reported none.
func Spent(u mulligan.Usage) string {
	var parts []string
	if u.InputTokens+u.OutputTokens > 0 {
		cached := ""
		if u.CachedTokens > 0 {
			cached = fmt.Sprintf(" (%s cached)", formatThousands(u.CachedTokens))
		}
		parts = append(parts, fmt.Sprintf("%s tokens in%s, %s out", formatThousands(u.InputTokens), cached, formatThousands(u.OutputTokens)))
	}
	if u.CostUSD > 0 {
		parts = append(parts, costWords(u))
	}
	return strings.Join(parts, ", ")
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
