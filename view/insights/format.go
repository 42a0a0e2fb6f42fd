package insights

import (
	"fmt"
	"strconv"
	"time"

	"mulligan/view"
)

// formatPercent formats a share; a small one is not nothing.
func formatPercent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

func formatSeconds(s float64) string { return view.Duration(time.Duration(s * float64(time.Second))) }

// formatUSD formats a sum of money.
func formatUSD(v float64) string {
	if v > 0 && v < 0.01 {
		return fmt.Sprintf("$%.4f", v)
	}
	return fmt.Sprintf("$%.2f", v)
}

// formatCount formats a count as 999, 1.2k or 3.4M.
func formatCount(v float64) string {
	switch {
	case v < 1000:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case v < 999_950:
		return fmt.Sprintf("%.1fk", v/1e3)
	}
	return fmt.Sprintf("%.1fM", v/1e6)
}

// formatTimes formats a count for a table, in which what never happened does not catch the eye.
func formatTimes(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// formatBriefly formats a duration for a table.
func formatBriefly(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
