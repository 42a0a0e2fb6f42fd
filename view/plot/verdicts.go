package plot

import (
	"fmt"
	"time"

	"mulligan/history"
	"mulligan/internal/text"
	"mulligan/view"
)

// windowOf returns when the first and the last of the sessions were, in words, and how many there are.
func windowOf(sessions []history.Session) string {
	var from, to time.Time
	for _, s := range sessions {
		at := s.Time()
		if from.IsZero() || at.Before(from) {
			from = at
		}
		if at.After(to) {
			to = at
		}
	}
	if from.IsZero() {
		return text.Count(0, "session")
	}
	noun := "sessions"
	if len(sessions) == 1 {
		noun = "session"
	}
	return formatWindow(from, to) + ", n = " + formatCount(len(sessions)) + " " + noun
}

const verdictDays = 30

// Verdicts draws how the sessions of each day ended.
func Verdicts(sessions []history.Session, now time.Time) Picture {
	days := history.Days(sessions, now, verdictDays)
	p := Picture{
		Title: "Verdicts per day", Says: "How the sessions of each day ended.",
		Header: []string{"day", "verified", "accepted", "gave up", "limit", "other"},
	}
	var sum history.Day
	most := 0
	for _, d := range days {
		most = max(most, d.Total())
		sum.Verified, sum.Accepted, sum.GaveUp, sum.Limits, sum.Other = sum.Verified+d.Verified, sum.Accepted+d.Accepted, sum.GaveUp+d.GaveUp, sum.Limits+d.Limits, sum.Other+d.Other
		if d.Total() > 0 {
			p.Rows = append(p.Rows, []string{d.Day.Format(time.DateOnly), fmt.Sprint(d.Verified), fmt.Sprint(d.Accepted), fmt.Sprint(d.GaveUp), fmt.Sprint(d.Limits), fmt.Sprint(d.Other)})
		}
	}
	p.Figures = fmt.Sprintf("sessions, %s, n = %s", formatWindow(days[0].Day, days[len(days)-1].Day), formatCount(sum.Total()))
	if most == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	writeWords(&c, top+10, verdictParts(sum))
	drawDays(&c, days, top+24, most)
	return c.finish("verdicts", top+24+150+22, p)
}

// A part is one of the parts that a whole is drawn as.
type part struct {
	name  string
	sign  string
	color Color
	value float64
	words string  // the value as text
	fade  float64 // how much lighter than its colour it is drawn, from 0 to 1
}

// css returns the colour of a part, mixed with the paper if it is faded.
func (p part) css() string {
	if p.fade == 0 {
		return p.color.css()
	}
	return p.color.css() + `" fill-opacity="` + fmt.Sprintf("%.2f", 1-p.fade)
}

func verdictParts(d history.Day) []part {
	count := func(name, sign string, color Color, n int) part {
		return part{name: name, sign: sign, color: color, value: float64(n), words: formatCount(n)}
	}
	return []part{
		count("verified", "✓", verified, d.Verified), count("accepted", "○", waiting, d.Accepted), count("gave up", "✗", failed, d.GaveUp),
		count("limit", "!", limit, d.Limits), count("other", "–", muted, d.Other),
	}
}

// writeWords names the parts in their colours, with their sums, on one line.
func writeWords(c *canvas, y float64, parts []part) {
	x := 0.0
	for _, p := range parts {
		if p.value == 0 {
			continue
		}
		s := view.Join(" ", p.sign, p.words, p.name)
		if p.sign == "" {
			s = view.Join(" ", p.name, p.words)
		}
		c.strong(x, y, start, p.color, s)
		x += textWidth(s)*1.08 + 12
	}
}

// drawDays draws a column for each day.
func drawDays(c *canvas, days []history.Day, top float64, most int) {
	const high, left = 150.0, 26.0
	ticks := chooseTicks(float64(most), true)
	scale := high / ticks[len(ticks)-1]
	for _, v := range ticks {
		y := top + high - v*scale
		c.line(left, y, width, y, rule, 1, false)
		c.text(left-6, y+4, end, muted, fmt.Sprintf("%.0f", v))
	}
	step := (width - left) / float64(len(days))
	for i, d := range days {
		y := top + high
		for _, p := range verdictParts(d) {
			h := p.value * scale
			y -= h
			c.rect(left+float64(i)*step+1, y+0.5, step-2, h-1, p.color.css(), fmt.Sprintf("%s: %s %s", d.Day.Format("2 Jan"), p.words, p.name))
		}
		if (len(days)-1-i)%7 == 0 {
			c.text(min(left+(float64(i)+0.5)*step, width-22), top+high+16, middle, muted, d.Day.Format("2 Jan"))
		}
	}
}
