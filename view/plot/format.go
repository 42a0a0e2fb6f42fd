package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mulligan/view"
)

// formatMoney returns a cost, with ≈ before one that is estimated.
func formatMoney(usd float64, estimated bool) string {
	sign := ""
	if estimated {
		sign = "≈"
	}
	if usd > 0 && usd < 0.995 {
		return fmt.Sprintf("%s$%.3g", sign, math.Round(usd*1000)/1000)
	}
	return fmt.Sprintf("%s$%.2f", sign, usd)
}

// formatShare returns a share in percent.
func formatShare(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// formatTook returns a duration as `1m 20s`.
func formatTook(d time.Duration) string {
	s := view.Duration(d)
	for _, unit := range []string{"h", "m"} {
		if before, after, ok := strings.Cut(s, unit); ok && after != "" && after[0] >= '0' && after[0] <= '9' {
			return before + unit + " " + after
		}
	}
	return s
}

// formatCount returns a number with its thousands grouped.
func formatCount(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// formatWindow returns the days from one time to another.
func formatWindow(from, to time.Time) string {
	if from.Year() == to.Year() {
		return from.Format("2 Jan") + " to " + to.Format("2 Jan 2006")
	}
	return from.Format("2 Jan 2006") + " to " + to.Format("2 Jan 2006")
}

// chooseTicks returns where the marks of an axis up to the given value are, whole numbers where whole is set.
func chooseTicks(most float64, whole bool) []float64 {
	if most <= 0 {
		return []float64{0, 1}
	}
	step := math.Pow(10, math.Floor(math.Log10(most/2)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if most/(step*factor) <= 3.01 {
			step *= factor
			break
		}
	}
	if whole {
		step = max(1, math.Round(step))
	}
	var ticks []float64
	for v := 0.0; ; v += step {
		ticks = append(ticks, v)
		if v >= most-1e-9 {
			return ticks
		}
	}
}
