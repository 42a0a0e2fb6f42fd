package plot

import (
	"fmt"
	"time"

	"mulligan/internal/text"
	"mulligan/view"
	"mulligan/view/timeline"
)

// maxAttempts is how many attempts the picture of a session has: the last ones.
const maxAttempts = 40

// Session draws a session's timeline: a row for each attempt, its segments as wide as they took.
func Session(t *timeline.Timeline, now time.Time) Picture {
	rows := t.Rows()
	longest, all := time.Duration(0), time.Duration(0)
	attempts := 0
	p := Picture{
		Title: "Timeline", Says: "One row for each attempt; the width of a part is how long it took.",
		Header: []string{"attempt", "part", "name", "verdict", "took"},
	}
	for _, r := range rows {
		longest = max(longest, r.Took(now))
		all += r.Took(now)
		if r.Iteration > 0 {
			attempts++
		}
		for _, s := range r.Segments {
			p.Rows = append(p.Rows, []string{nameRow(r), string(s.Kind), s.Name, string(s.Verdict), formatTook(s.Took(now))})
		}
	}
	p.Figures = fmt.Sprintf("time, %s in %s", formatTook(all), text.Count(attempts+t.Earlier(), "attempt"))
	if attempts == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	writeWords(&c, top+10, []part{
		{name: "turn", color: accent},
		{name: "passed", sign: "✓", color: verified},
		{name: "failed", sign: "✗", color: failed},
		{name: "hook, commit", color: muted},
	})
	c.rect(width-72, top, 12, 12, "url(#hatch-session)", "")
	c.strong(width, top+10, end, waiting, "waiting")
	bottom := drawRows(&c, top+26, rows, t, longest, now)
	return c.finish(bottom, p)
}

// nameRow returns the name of a row: its step and attempt.
func nameRow(r timeline.Row) string {
	if r.Iteration == 0 {
		return r.Title
	}
	return fmt.Sprintf("%s %d", r.Step, r.Attempt)
}

func drawRows(c *canvas, top float64, rows []timeline.Row, t *timeline.Timeline, longest time.Duration, now time.Time) float64 {
	if skipped := len(rows) - maxAttempts; skipped > 0 {
		c.text(0, top+8, start, muted, text.Count(skipped+t.Earlier(), "earlier row"))
		rows, top = rows[skipped:], top+22
	}
	room := width - labelRoom - 56
	scale := room / max(longest.Seconds(), 1e-3)
	y := top
	for _, r := range rows {
		if r.Iteration == 0 && len(r.Segments) == 0 {
			continue
		}
		for _, g := range t.Gaps() {
			if g.Before == r.Iteration && r.Iteration > 0 {
				y = drawGap(c, y, g)
			}
		}
		drawRow(c, y, r, scale, now)
		y += barStep - 4
	}
	return y
}

func drawRow(c *canvas, y float64, r timeline.Row, scale float64, now time.Time) {
	c.strong(0, y+15, start, colorOf(r.Verdict), r.Verdict.Sign())
	c.text(labelRoom-8, y+15, end, ink, fit(nameRow(r), labelRoom-26))
	for _, waits := range []bool{false, true} { // waits lie over the turn that waits
		for _, s := range r.Segments {
			if s.Kind.Waits() != waits {
				continue
			}
			x := labelRoom + r.Offset(s.Start).Seconds()*scale
			w := s.Took(now).Seconds() * scale
			title := view.Join(", ", view.Join(" ", string(s.Kind), s.Name), string(s.Verdict), s.Words, formatTook(s.Took(now)))
			drawSegment(c, x, y, w, s, title)
		}
	}
	c.text(labelRoom+r.Took(now).Seconds()*scale+6, y+15, start, muted, formatTook(r.Took(now)))
}

// drawSegment draws a part of a row: with a sign if it has a verdict and the room for it.
func drawSegment(c *canvas, x, y, w float64, s timeline.Segment, title string) {
	w = max(1.5, w-0.75)
	switch {
	case s.Kind.Waits():
		c.rect(x, y, w, barHeight-4, paper.css(), "")
		c.rect(x, y, w, barHeight-4, "url(#hatch-session)", title)
		return
	case s.Kind == timeline.Turn:
		color := accent
		if s.Verdict == timeline.Broken {
			color = failed
		}
		c.rect(x, y, w, barHeight-4, color.css(), title)
	case s.Kind == timeline.Check || s.Kind == timeline.StopHook:
		c.rect(x, y, w, barHeight-4, colorOf(s.Verdict).css(), title)
	default:
		c.rect(x, y, w, barHeight-4, muted.css(), title)
	}
	if sign := s.Verdict.Sign(); w > 14 && (s.Verdict == timeline.Passed || s.Verdict == timeline.Failed || s.Verdict == timeline.Broken) {
		c.strong(x+w/2, y+13.5, middle, paper, sign)
	}
}

func colorOf(v timeline.Verdict) Color {
	switch v {
	case timeline.Passed:
		return verified
	case timeline.Failed:
		return failed
	case timeline.Broken, timeline.Accepted:
		return waiting
	case timeline.Running:
		return running
	case timeline.Cut, timeline.Done:
	}
	return muted
}

// drawGap draws a time in which no process worked on the session.
func drawGap(c *canvas, y float64, g timeline.Gap) float64 {
	words := g.Why + ", " + formatTook(g.To.Sub(g.From)) + " later resumed"
	c.line(labelRoom, y+4, width-textWidth(words)-10, y+4, muted, 1, true)
	c.text(width, y+8, end, muted, words)
	return y + 18
}
