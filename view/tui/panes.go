package tui

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

const (
	minPane  = 3 // rows that a pane needs to be worth its frame
	maxNames = 24
)

// steps shows the steps, at most rows of them: the one under way and its neighbours.
func (c canvas) steps(rows int) []string {
	if c.s.Loop != nil {
		return c.loop(rows)
	}
	list := c.s.Steps
	from, to := window(len(list), max(0, c.s.Current), rows)
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, c.step(list[i]))
	}
	if hidden := len(list) - (to - from); hidden > 0 && len(lines) > 1 {
		lines[len(lines)-1] = apart(lines[len(lines)-1], c.paint(dim, fmt.Sprintf("%d more ", hidden)), c.w)
	}
	return lines
}

// window is the part of n rows that shows the row at the centre, and as much as possible
// of what follows it.
func window(n, at, rows int) (from, to int) {
	if n <= rows {
		return 0, n
	}
	from = min(max(0, at-rows/3), n-rows)
	return from, from + rows
}

func (c canvas) step(s view.Step) string {
	mark, t := stepMark(s.Status)
	if s.Status == view.Running && c.s.Over() {
		mark, t = "○", warn
	}
	name := usual
	switch s.Status {
	case view.Running:
		name = bold
	case view.Open:
		name = dim
	}
	line := " " + c.paint(t, mark) + " " + c.paint(name, fill(s.Name, c.nameWidth()))
	if s.Attempt > 0 {
		line += fmt.Sprintf("  %d/%d  %s", s.Attempt, max(s.Max, s.Attempt), c.paint(dim, fmt.Sprintf("%6s", view.Duration(c.worked(s)))))
	}
	if s.Commit != "" {
		line += "  " + c.paint(dim, view.Commit(s.Commit))
	}
	if s.Status == view.Accepted {
		return line + "  " + c.paint(warn, "accepted, "+s.Accepted()) + c.checks(s.Checks)
	}
	if s.Status == view.Open {
		return line
	}
	return line + c.checks(s.Checks)
}

func stepMark(s view.StepStatus) (mark string, t tone) {
	switch s {
	case view.Verified:
		return "✓", good
	case view.Accepted:
		return "✓", warn
	case view.Failed:
		return "✗", bad
	case view.Running:
		return "●", accent
	}
	return "○", dim
}

func (c canvas) nameWidth() int {
	w := 0
	for _, s := range c.s.Steps {
		w = max(w, width(s.Name))
	}
	return min(w, maxNames, max(8, c.w/3))
}

// checks says how the attempt's checks stand, in their order.
func (c canvas) checks(list []view.Check) string {
	var b strings.Builder
	for _, k := range list {
		switch {
		case k.Running:
			b.WriteString("  " + c.paint(accent, c.spin()+" ") + k.Name)
		case k.Status == mulligan.Pass:
			b.WriteString("  " + c.paint(good, "✓ ") + c.paint(dim, k.Name))
		case k.Status == mulligan.Broken:
			b.WriteString("  " + c.paint(warn, "? ") + k.Name)
		case k.Status != "":
			b.WriteString("  " + c.paint(bad, "✗ ") + k.Name)
		case k.Final && !c.s.Claimed: // nobody waits for it yet
		default:
			b.WriteString("  " + c.paint(dim, "· "+k.Name))
		}
	}
	return b.String()
}

// panes fills the given rows with the evidence, where there is some, and the output.
func (c canvas) panes(rows int) []string {
	if rows < 1 {
		return nil
	}
	if c.Help {
		return c.pane("keys", "", help(c.paint), rows)
	}
	var lines []string
	if q := c.Asking.question(c.s); q != nil && !c.s.Over() {
		most := rows
		if rows >= roomy {
			most = rows * 3 / 4
		}
		lines = c.asked(*q, most)
		rows -= len(lines)
		if rows < minPane {
			return lines
		}
		return append(lines, c.output(rows)...)
	}
	if v := c.s.Evidence; v != nil {
		lines = c.evidence(*v, rows)
	}
	if left := rows - len(lines); left >= minPane || len(lines) == 0 {
		lines = append(lines, c.output(left)...)
	}
	return lines
}

// evidence is a pane of at most half of the rows, one line where that is too little.
func (c canvas) evidence(v mulligan.Verdict, rows int) []string {
	told := view.Summary(v)
	where := ""
	if c.s.FedBack && !c.s.Over() {
		where = c.paint(warn, "↩ fed back")
	}
	excerpt, more := view.Excerpt(v, 100)
	most := rows / 2
	if most < minPane+c.frame() || len(excerpt) == 0 {
		return []string{apart(" "+c.paint(bad, "✗ ")+v.Gate+"  "+told, where+" ", c.w)}
	}
	room := most - c.frame()
	if len(excerpt) > room {
		more += len(excerpt) - room + 1
		excerpt = append(excerpt[:room-1:room-1], c.paint(dim, "… "+text.Count(more, "more line")))
	}
	title := c.paint(badly, "✗ "+v.Gate)
	if told != "" {
		title += "  " + told
	}
	return c.pane(title, where, excerpt, len(excerpt)+c.frame())
}

// output shows the last lines, or those that the viewer has scrolled back to.
func (c canvas) output(rows int) []string {
	var flat []string
	for _, l := range c.s.Lines {
		if l.Mark {
			flat = append(flat, c.paint(accent, "› "+l.Text))
			continue
		}
		if l.Said {
			flat = append(flat, c.paint(dim, "• ")+l.Text)
			continue
		}
		flat = append(flat, wrap(l.Text, c.inner())...)
	}
	room := max(1, rows-c.frame())
	*c.back = max(0, len(flat)-room)
	end := len(flat) - min(c.Scroll, *c.back)
	flat = flat[max(0, end-room):end]
	if rows <= c.frame() && len(flat) > 0 {
		return []string{" " + flat[len(flat)-1]}
	}
	if len(c.s.Lines) == 0 {
		flat = []string{c.paint(dim, "no output yet")}
	}
	return c.pane("output", "", flat, rows)
}

// frame is how many rows a pane spends on its frame.
func (c canvas) frame() int {
	if c.full() {
		return 2
	}
	return 1
}

func (c canvas) full() bool { return c.h >= boxed && c.w >= framed }

// inner is the width of a pane's content.
func (c canvas) inner() int {
	if c.full() {
		return max(1, c.w-4)
	}
	return max(1, c.w-2)
}

// pane frames lines: all round where there is room for it, else under a titled rule.
func (c canvas) pane(title, right string, lines []string, rows int) []string {
	lines = exactly(lines, max(0, rows-c.frame()))
	if !c.full() {
		out := []string{c.rule("─ ", title, right, " ─")}
		for _, l := range lines {
			out = append(out, " "+fit(l, c.inner()))
		}
		return out[:min(len(out), rows)]
	}
	out := []string{c.rule("╭─ ", title, right, " ─╮")}
	side := c.paint(dim, "│")
	for _, l := range lines {
		out = append(out, side+" "+fill(l, c.inner())+" "+side)
	}
	return append(out, c.paint(dim, "╰"+strings.Repeat("─", max(0, c.w-2))+"╯"))
}

func (c canvas) rule(open, title, right, end string) string {
	if right == "" {
		end = strings.TrimPrefix(end, " ")
	} else {
		right = " " + right
	}
	room := c.w - width(open) - width(end) - width(right) - 2
	if room < 4 {
		end = strings.TrimPrefix(end, " ")
		right, room = "", c.w-width(open)-width(end)-2
	}
	title = fit(title, room)
	dashes := strings.Repeat("─", max(0, room-width(title)+1))
	return c.paint(dim, open) + title + " " + c.paint(dim, dashes) + right + c.paint(dim, end)
}

func help(paint func(tone, string) string) []string {
	keys := [][2]string{
		{"q, d", "detach: the session goes on, mulligan attach comes back"},
		{"ctrl+c", "stop: what runs is ended, and the session can be resumed"},
		{"ctrl+c twice", "stop at once"},
		{"p", "pause when the running turn's checks are through"},
		{"enter", "send the answer to a question; show one that was hidden"},
		{"ctrl+z", "suspend the viewer; fg brings it back"},
		{"↑ ↓ pgup pgdn", "scroll the output; home and end: its first and last line"},
		{"?", "close this"},
	}
	var lines []string
	for _, k := range keys {
		lines = append(lines, paint(bold, fill(k[0], 14))+"  "+k[1])
	}
	return lines
}
