package plot

import (
	"strings"
	"time"

	"mulligan/view"
)

const (
	barHeight = 22.0
	barStep   = 32.0
	labelRoom = 132.0
)

// A part is what a colour means.
type part struct {
	name  string
	sign  string
	color Color
}

// writeWords names the parts in their colours, on one line.
func writeWords(c *canvas, y float64, parts []part) {
	x := 0.0
	for _, p := range parts {
		s := view.Join(" ", p.sign, p.name)
		c.strong(x, y, start, p.color, s)
		x += textWidth(s)*1.08 + 12
	}
}

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
