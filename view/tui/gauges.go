package tui

import (
	"strings"

	"mulligan/view"
)

// drawGauges draws how much of each of the session's limits is used: with the longest bars that there is
// room for, and without bars where there is none. It returns "" if there are no limits.
func (c canvas) drawGauges() string {
	if len(c.s.Gauges) == 0 {
		return ""
	}
	line := ""
	for _, bar := range []int{16, 10, 6, 0} {
		var parts []string
		for _, g := range c.s.Gauges {
			parts = append(parts, c.drawGauge(g, bar))
		}
		if line = " " + strings.Join(parts, "   "); width(line) <= c.w {
			break
		}
	}
	return line
}

// drawGauge draws one limit, with a bar so many columns wide.
func (c canvas) drawGauge(g view.Gauge, bar int) string {
	tone := accentStyle
	switch {
	case g.Part >= 1:
		tone = view.Bad
	case g.Part >= view.NearLimit:
		tone = view.Warn
	}
	words := c.paint(view.Quiet, g.Words)
	if g.Part >= view.NearLimit {
		words = c.paint(tone, g.Words)
	}
	return view.Join(" ", c.paint(view.Quiet, g.Name), c.drawBar(g.Part, bar, tone), words)
}

// drawBar draws a bar of which a part is full. What was begun shows.
func (c canvas) drawBar(part float64, columns int, tone view.Tone) string {
	full := int(part * float64(columns))
	if part > 0 {
		full = max(full, min(1, columns))
	}
	full = min(full, columns)
	return c.paint(tone, strings.Repeat("━", full)) + c.paint(view.Quiet, strings.Repeat("─", columns-full))
}
