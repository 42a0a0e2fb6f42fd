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

// drawSteps draws at most rows of the steps: the one under way and its neighbours.
func (c canvas) drawSteps(rows int) []string {
	if c.s.Loop != nil {
		return c.drawLoop(rows)
	}
	list := c.s.Steps
	from, to := visibleRange(len(list), max(0, c.s.Current), rows)
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, c.drawStep(list[i]))
	}
	if hidden := len(list) - (to - from); hidden > 0 && len(lines) > 1 {
		lines[len(lines)-1] = justify(lines[len(lines)-1], c.paint(view.Quiet, fmt.Sprintf("%d more ", hidden)), c.w)
	}
	return lines
}

// visibleRange returns the part of n rows that shows the row at an index, and as much as possible of
// what follows it.
func visibleRange(n, at, rows int) (from, to int) {
	if n <= rows {
		return 0, n
	}
	from = min(max(0, at-rows/3), n-rows)
	return from, from + rows
}

// drawStep draws a step's line.
func (c canvas) drawStep(s view.Step) string {
	mark, t := c.stepMark(s.Status)
	name := view.Usual
	switch s.Status {
	case view.Running:
		name = view.Bold
	case view.Open:
		name = view.Quiet
	default:
	}
	var tries, accepted string
	if s.Attempt > 0 {
		tries = fmt.Sprintf("%d/%d  %s", s.Attempt, max(s.Max, s.Attempt), c.paint(view.Quiet, fmt.Sprintf("%6s", view.Duration(c.workedTime(s)))))
	}
	if s.Status == view.Accepted {
		accepted = "accepted, " + s.AcceptedWords()
	}
	line := view.Join("  ", " "+c.paint(t, mark)+" "+c.paint(name, fill(s.Name, c.nameWidth())),
		tries, c.paint(view.Quiet, view.Commit(s.Commit)), c.paint(view.Warn, accepted))
	if s.Status == view.Open {
		return line
	}
	return line + c.drawChecks(s.Checks)
}

// stepMark returns the sign before a step. A step that was under way when the session ended is open.
func (c canvas) stepMark(s view.StepStatus) (mark string, t view.Tone) {
	mark, t = view.StepMark(s)
	switch {
	case s == view.Running && c.s.Over():
		return "○", view.Warn
	case s == view.Running:
		return mark, accentStyle
	}
	return mark, t
}

// nameWidth returns how wide the column with the names of steps is.
func (c canvas) nameWidth() int {
	w := 0
	for _, s := range c.s.Steps {
		w = max(w, width(s.Name))
	}
	return min(w, maxNames, max(8, c.w/3))
}

// drawChecks draws how the attempt's checks went, in their order.
func (c canvas) drawChecks(list []view.Check) string {
	var b strings.Builder
	for _, k := range list {
		switch {
		case k.Running:
			b.WriteString("  " + c.paint(accentStyle, c.spinnerFrame()+" ") + k.Name)
		case k.Flaky:
			b.WriteString("  " + c.paint(view.Warn, "✓ ") + k.Name + " flaky")
		case k.Status == mulligan.Pass:
			b.WriteString("  " + c.paint(view.Good, "✓ ") + c.paint(view.Quiet, k.Name))
		case k.Status == mulligan.Broken:
			b.WriteString("  " + c.paint(view.Warn, "? ") + k.Name)
		case k.Status != "":
			b.WriteString("  " + c.paint(view.Bad, "✗ ") + k.Name)
		case k.Final && !c.s.Claimed: // it does not have to pass yet
		default:
			b.WriteString("  " + c.paint(view.Quiet, "· "+k.Name))
		}
	}
	return b.String()
}

// drawPanes fills the given rows with the help, or with the question or the evidence, if there is one,
// and the output.
func (c canvas) drawPanes(rows int) []string {
	if rows < 1 {
		return nil
	}
	switch {
	case c.Help:
		return c.drawPane("keys", "", c.helpLines(), rows)
	case c.Changes:
		return c.drawChanges(rows)
	}
	var lines []string
	switch q, v := c.Asking.shownQuestion(c.s), c.s.Evidence; {
	case c.Typing.For == TypingMessage:
		lines = c.drawMessage(rows)
	case c.Typing.For == TypingWord:
		lines = c.drawItem(rows)
	case q != nil && !c.s.Over():
		most := rows
		if rows >= roomy {
			most = rows * 3 / 4
		}
		lines = c.drawQuestion(*q, most)
	case v != nil:
		lines = c.drawEvidence(*v, rows)
	}
	if left := rows - len(lines); left >= minPane || len(lines) == 0 {
		lines = append(lines, c.drawOutput(left)...)
	}
	return lines
}

// drawEvidence draws a pane of at most half of the rows, or one line if that is too little for a pane.
func (c canvas) drawEvidence(v mulligan.Verdict, rows int) []string {
	told := view.Summary(v)
	where := ""
	if c.s.FedBack && !c.s.Over() {
		where = c.paint(view.Warn, "↩ fed back")
	}
	excerpt, more := view.Excerpt(v, 100)
	most := rows / 2
	if most < minPane+c.frameRows() || len(excerpt) == 0 {
		return []string{justify(" "+c.paint(view.Bad, "✗ ")+v.Gate+"  "+told, where+" ", c.w)}
	}
	room := most - c.frameRows()
	if len(excerpt) > room {
		more += len(excerpt) - room + 1
		excerpt = append(excerpt[:room-1:room-1], c.paint(view.Quiet, "… "+text.Count(more, "more line")))
	}
	return c.drawPane(view.Join("  ", c.paint(failureStyle, "✗ "+v.Gate), told), where, excerpt, len(excerpt)+c.frameRows())
}

// frameRows returns how many rows a pane spends on its frame.
func (c canvas) frameRows() int {
	if c.hasFullFrame() {
		return 2
	}
	return 1
}

// hasFullFrame reports whether there is room for frames all round.
func (c canvas) hasFullFrame() bool { return c.h >= boxed && c.w >= framed }

// innerWidth returns the width of a pane's content.
func (c canvas) innerWidth() int {
	if c.hasFullFrame() {
		return max(1, c.w-4)
	}
	return max(1, c.w-2)
}

// drawPane frames lines: all round if there is room for it, else under a titled rule.
func (c canvas) drawPane(title, right string, lines []string, rows int) []string {
	lines = fitRows(lines, max(0, rows-c.frameRows()))
	if !c.hasFullFrame() {
		out := []string{c.drawRule("─ ", title, right, " ─")}
		for _, l := range lines {
			out = append(out, " "+fit(l, c.innerWidth()))
		}
		return out[:min(len(out), rows)]
	}
	out := []string{c.drawRule("╭─ ", title, right, " ─╮")}
	side := c.paint(view.Quiet, "│")
	for _, l := range lines {
		out = append(out, side+" "+fill(l, c.innerWidth())+" "+side)
	}
	return append(out, c.paint(view.Quiet, "╰"+strings.Repeat("─", max(0, c.w-2))+"╯"))
}

// drawRule draws the first line of a frame, with the title and a text at its right end.
func (c canvas) drawRule(open, title, right, end string) string {
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
	return c.paint(view.Quiet, open) + title + " " + c.paint(view.Quiet, dashes) + right + c.paint(view.Quiet, end)
}

// helpLines returns what the keys do.
func (c canvas) helpLines() []string {
	keys := [][2]string{
		{"q, d", "detach: the session goes on, mulligan attach comes back"},
		{"ctrl+c", "stop: what runs is ended, and the session can be resumed"},
		{"ctrl+c twice", "stop at once"},
		{"p", "pause when the running turn's checks are through"},
		{"enter", "send the answer to a question; show one that was hidden"},
		{"ctrl+z", "suspend the viewer; fg brings it back"},
		{"↑ ↓ pgup pgdn", "scroll the output; home and end: its first and last line"},
		{"/", "search in the output; n and N: the match before and after"},
		{"z", "fold what was printed under earlier headings"},
		{"c", "the changed files"},
		{"m", "a message to the agent"},
		{"a", "decide about a task that was claimed too often"},
		{"?", "close this"},
	}
	var lines []string
	for _, k := range keys {
		lines = append(lines, c.paint(view.Bold, fill(k[0], 14))+"  "+k[1])
	}
	return lines
}
