package tui

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/view"
)

// A Look is what the screen shows besides the session: the state of the viewer.
type Look struct {
	Color   bool
	Frame   int    // of the spinner
	Scroll  int    // lines that the output is scrolled back
	Help    bool   // the keys are shown
	Stops   int    // how often the session was asked to stop
	Message string // what the viewer has to say
	Pause   bool   // the session can be paused from here
	Tell    bool   // messages can be sent from here
	Decide  bool   // items can be decided about from here
	Fold    bool   // what was printed under earlier headings is folded
	Changes bool   // the changed files are shown
	Search  string // what was searched for in the output
	Typing  Typing
	Asking  Asking

	wraps *wrapCache // how lines were wrapped; nil: each is wrapped anew
}

const (
	roomy  = 14 // rows from which on the header has three lines
	boxed  = 18 // rows from which on panes have a frame all round
	framed = 56 // columns, likewise
)

// A canvas is what every part of the screen is drawn with.
type canvas struct {
	Look
	s    view.Snapshot
	w, h int
	area *outputArea // set to what was drawn of the output
}

// drawScreen draws the session on a screen of the given size: exactly height lines, none wider than
// width. It also returns what it drew of the output.
func drawScreen(s view.Snapshot, width, height int, look Look) (content string, area outputArea) {
	if width <= 0 || height <= 0 {
		return "", area
	}
	c := canvas{Look: look, s: s, w: width, h: height, area: &area}
	lines := c.drawLines()
	for i := range lines {
		lines[i] = strings.TrimRight(fit(lines[i], width), " ")
	}
	return strings.Join(lines, "\n"), area
}

// drawLines draws all lines of the screen.
func (c canvas) drawLines() []string {
	if c.h < 4 {
		tiny := append(c.drawNow(), c.drawSteps(1)...)
		return fitRows(append(tiny, c.drawHeader()...), c.h)
	}
	top := c.drawHeader()
	var bottom []string
	if c.h >= 10 {
		bottom = c.drawNotes()
	}
	rest := c.h - len(top) - len(bottom) - 1
	rows := max(1, rest/4)
	if c.h >= roomy {
		rows = max(3, rest/3)
	}
	top = append(top, c.drawSteps(rows)...)
	now := c.drawNow()
	if c.h >= roomy {
		now = append([]string{""}, now...)
	}
	top = append(top, now...)
	top = append(top, c.drawPanes(max(0, c.h-len(top)-len(bottom)-1))...)
	top = append(fitRows(top, c.h-len(bottom)-1), bottom...)
	return append(top, c.drawFooter())
}

// fitRows cuts or pads to n lines.
func fitRows(lines []string, n int) []string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}

// drawNow draws what runs at this moment, or the viewer's own message.
func (c canvas) drawNow() []string {
	if c.Message != "" {
		return []string{" " + c.paint(view.Warn, c.Message)}
	}
	return []string{" " + c.describeNow()}
}

// describeNow returns what runs at this moment.
func (c canvas) describeNow() string {
	switch {
	case c.s.Over():
		return c.describeEnd()
	case c.s.Ending != nil && c.Stops < 2:
		return c.describeEnding()
	case c.Stops == 1:
		return c.paint(warningStyle, c.spinnerFrame()+" stopping") + "  what runs is ended and not counted  " + c.paint(view.Quiet, "ctrl+c again: at once")
	case c.Stops > 1:
		return c.paint(warningStyle, c.spinnerFrame()+" stopping at once") + "  " + c.paint(view.Quiet, "ctrl+c again: leave it to itself")
	}
	a := c.s.Running
	switch {
	case a == nil && len(c.s.Questions) > 0:
		return c.paint(view.Warn, c.spinnerFrame()+" waiting for an answer")
	case a == nil:
		return c.paint(accentStyle, c.spinnerFrame()) + " " + c.paint(view.Quiet, "getting ready")
	}
	if c.s.Waits() {
		return c.describeWait(*a)
	}
	what, then := c.s.Try(), ""
	switch {
	case a.SentBack != nil: // the notice has it
		what, then = "", view.Join("  ", c.paint(view.Warn, a.SentBack.String()), view.PurposeWords(a.SentBack.Base))
	case a.Purpose != mulligan.ForAttempt:
		what = a.Why()
	case a.Kind == view.OfAgent && c.s.FedBack && c.s.Evidence != nil:
		then = c.paint(view.Warn, "↩ answering "+c.s.Evidence.Gate)
	}
	return view.Join("  ", c.paint(accentStyle, c.spinnerFrame())+" "+c.paint(view.Bold, a.String()), what, c.paint(view.Quiet, view.Clock(a.Elapsed)), then)
}

// describeEnding returns what happens between the decision to end and the end.
func (c canvas) describeEnding() string {
	word, _ := c.describeOutcome(*c.s.Ending)
	what, clock := "ending", ""
	if a := c.s.Running; a != nil {
		what, clock = a.String(), view.Clock(a.Elapsed)
		if a.Kind == view.OfAgent && a.Why() != "" {
			what = a.Why()
		}
		if a.Within > 0 {
			clock += " of at most " + view.Clock(a.Within)
		}
	}
	return view.Join("  ", c.paint(warningStyle, c.spinnerFrame()+" "+what), c.paint(view.Quiet, clock), word, c.paint(view.Quiet, "ctrl+c stops it"))
}

// describeEnd returns what the session came to.
func (c canvas) describeEnd() string {
	o := c.s.Outcome
	word, t := c.describeOutcome(*o)
	why := o.Reason
	switch {
	case o.Ended == mulligan.Interrupted && why != "":
		word, why = why, ""
	case why == "" && o.Commit != "":
		why = "commit " + view.Commit(o.Commit)
	}
	return view.Join("  ", c.paint(t, word), why)
}

// spinnerFrame returns the spinner as it looks now.
func (c canvas) spinnerFrame() string {
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(frames[c.Frame%len(frames)])
}

// drawNotes draws what a person should know: a hidden question, what was claimed too often, waivers, failed hooks and notes.
func (c canvas) drawNotes() []string {
	keep := 1
	if c.h >= boxed {
		keep = 2
	}
	var lines []string
	if hidden := c.drawHiddenQuestion(); hidden != "" {
		lines = append(lines, hidden)
	}
	lines = append(lines, c.drawOverLimit(keep)...)
	if waived := c.s.Waived(); !c.s.Over() {
		for _, what := range waived[:min(len(waived), keep)] {
			lines = append(lines, " "+c.paint(view.Warn, "! "+what))
		}
	}
	failed := c.drawFailedHooks()
	lines = append(lines, failed[:min(len(failed), keep)]...)
	for _, n := range c.s.Notes[max(0, len(c.s.Notes)-keep):] {
		lines = append(lines, " "+c.paint(view.Warn, "! ")+n)
	}
	return lines
}

// drawHiddenQuestion returns a line about a question that the person has put aside, "" if there is none.
func (c canvas) drawHiddenQuestion() string {
	if len(c.s.Questions) == 0 || c.s.Over() || c.Asking.shownQuestion(c.s) != nil || c.Asking.Hidden == 0 {
		return ""
	}
	return " " + c.paint(view.Warn, "? ") + fmt.Sprintf("question %d waits for an answer: enter shows it", c.s.Questions[0].ID)
}

// drawFooter draws the keys, and the usage or how far the output is scrolled back.
func (c canvas) drawFooter() string {
	if c.Typing.For == TypingSearch {
		return " " + c.paint(accentStyle, "/") + cutLeft(c.Typing.Text, c.w-4) + c.paint(accentStyle, "▏")
	}
	keys := [][2]string{{"q", "detach"}, {"ctrl+c", "stop"}, {"↑↓", "scroll"}, {"?", "help"}}
	if c.Pause {
		keys = slices.Insert(keys, 2, [2]string{"p", "pause"})
	}
	if c.w < 50 {
		keys = [][2]string{{"q", "detach"}, {"^c", "stop"}, {"?", "help"}}
	}
	var parts []string
	for _, k := range keys {
		parts = append(parts, c.paint(view.Bold, k[0])+" "+c.paint(view.Quiet, k[1]))
	}
	left := " " + strings.Join(parts, "  ")
	right := ""
	for _, words := range view.SpentForms(c.s.Usage) {
		if width(left)+width(words)+3 <= c.w {
			right = words
			break
		}
	}
	if back := min(c.Scroll, c.area.back()); back > 0 {
		right = fmt.Sprintf("%d of %d lines back", back, c.area.back())
	}
	if right == "" || width(left)+width(right)+3 > c.w {
		return left
	}
	return justify(left, c.paint(view.Quiet, right)+" ", c.w)
}
