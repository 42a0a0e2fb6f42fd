package tui

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
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
	Asking  Asking
}

const (
	roomy  = 14 // rows from which on the header has three lines
	boxed  = 18 // rows from which on panes have a frame all round
	framed = 56 // columns, likewise
)

// A canvas is what every part of the screen is drawn with.
type canvas struct {
	brush
	Look
	s    view.Snapshot
	w, h int
	back *int // set to how far the output can be scrolled back
}

// Render draws the session on a screen of the given size: exactly height lines, none
// wider than width.
func Render(s view.Snapshot, width, height int, look Look) string {
	content, _ := draw(s, width, height, look)
	return content
}

// draw is Render, and says how far the output can be scrolled back.
func draw(s view.Snapshot, width, height int, look Look) (content string, back int) {
	if width <= 0 || height <= 0 {
		return "", 0
	}
	c := canvas{brush: brush{look.Color}, Look: look, s: s, w: width, h: height, back: &back}
	lines := c.lines()
	for i := range lines {
		lines[i] = strings.TrimRight(fit(lines[i], width), " ")
	}
	return strings.Join(lines, "\n"), back
}

func (c canvas) lines() []string {
	if c.h < 4 {
		tiny := append(c.now(), c.steps(1)...)
		return exactly(append(tiny, c.header()...), c.h)
	}
	top := c.header()
	var bottom []string
	if c.h >= 10 {
		bottom = c.notes()
	}
	rest := c.h - len(top) - len(bottom) - 1
	rows := max(1, rest/4)
	if c.h >= roomy {
		rows = max(3, rest/3)
	}
	top = append(top, c.steps(rows)...)
	now := c.now()
	if c.h >= roomy {
		now = append([]string{""}, now...)
	}
	top = append(top, now...)
	top = append(top, c.panes(max(0, c.h-len(top)-len(bottom)-1))...)
	top = append(exactly(top, c.h-len(bottom)-1), bottom...)
	return append(top, c.footer())
}

// exactly cuts or pads to n lines.
func exactly(lines []string, n int) []string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}

func (c canvas) header() []string {
	state, t := c.state()
	title := " " + c.paint(loud, "mulligan") + "  " + c.paint(bold, c.s.Task)
	right := c.paint(t, state) + " "
	if !c.s.Waits() {
		right = c.paint(t, state) + "  " + view.Clock(c.s.Elapsed) + " "
	}
	lines := []string{apart(title, right, c.w)}
	if c.h < roomy {
		return lines
	}
	if c.s.Started.IsZero() {
		return append(lines, "", c.progress())
	}
	what := c.s.Pipeline
	if c.s.Loop != nil {
		what = "loop"
	}
	about := []string{what, c.s.Session}
	if b := c.s.Place.Branch; b == "mulligan/"+c.s.Session {
		about = []string{what, "branch " + b}
	} else if b != "" {
		about = append(about, "branch "+b)
	}
	if c.s.Resumed > 0 {
		about = append(about, "resumed")
	}
	if n := c.s.Pending; n > 0 && !c.s.Over() {
		about = append(about, text.Count(n, "text")+" pending")
	}
	if at := c.s.Current; at >= 0 && at < len(c.s.Steps) && c.s.Steps[at].Budget() != "" {
		about = append(about, c.s.Steps[at].Budget())
	}
	return append(lines, " "+c.paint(dim, strings.Join(about, " · ")), c.progress())
}

// state is the session in a word.
func (c canvas) state() (word string, t tone) {
	switch {
	case c.s.Over():
		return ending(c.s.Outcome.Ended, c.s.Phase)
	case c.Stops > 0:
		return "stopping", warned
	case c.s.Interrupted != "":
		return "interrupted", warned
	case c.s.Started.IsZero():
		return "starting", dim
	case c.s.Ending != nil:
		return "ending", warned
	case len(c.s.Questions) > 0:
		return "asks you", warned
	case c.s.Pausing != "":
		return "pausing", warned
	case c.s.Waits():
		return "waiting", warned
	}
	return "running", accent
}

func ending(e mulligan.Ended, phase mulligan.Phase) (word string, t tone) {
	switch e {
	case mulligan.Verified:
		return "✓ verified", goodly
	case mulligan.Accepted:
		return "✓ accepted", warned
	case mulligan.GaveUp:
		return "✗ gave up", badly
	case mulligan.LimitReached:
		return "✗ limit reached", warned
	case mulligan.Waiting:
		if view.Paused(e, phase) {
			return "paused", warned
		}
		return "waiting for you", warned
	case mulligan.GateBroken:
		return "✗ gate broken", badly
	case mulligan.AgentUnavailable:
		return "✗ no agent", badly
	case mulligan.Interrupted:
		return "interrupted", warned
	}
	return string(e), warned
}

// progress is a rule across the screen, a piece of it for each step.
func (c canvas) progress() string {
	inner, n := max(0, c.w-2), len(c.s.Steps)
	if c.s.Loop != nil {
		return " " + c.loopProgress(inner)
	}
	if n == 0 {
		return " " + c.paint(dim, strings.Repeat("─", inner))
	}
	var b strings.Builder
	for i, s := range c.s.Steps {
		part := inner*(i+1)/n - inner*i/n
		_, t := stepMark(s.Status)
		piece := "━"
		switch s.Status {
		case view.Running:
			piece = "╍"
		case view.Open:
			piece = "─"
		}
		b.WriteString(c.paint(t, strings.Repeat(piece, part)))
	}
	return " " + b.String()
}

// now says what runs at this moment.
func (c canvas) now() []string {
	text := c.nowText()
	if c.Message != "" {
		return []string{" " + c.paint(warn, c.Message)}
	}
	return []string{" " + text}
}

func (c canvas) nowText() string {
	switch {
	case c.s.Over():
		return c.ended()
	case c.s.Ending != nil && c.Stops < 2:
		return c.ending()
	case c.Stops == 1:
		return c.paint(warned, c.spin()+" stopping") + "  what runs is ended and not counted  " + c.paint(dim, "ctrl+c again: at once")
	case c.Stops > 1:
		return c.paint(warned, c.spin()+" stopping at once") + "  " + c.paint(dim, "ctrl+c again: leave it to itself")
	}
	a := c.s.Running
	switch {
	case a == nil && len(c.s.Questions) > 0:
		return c.paint(warn, c.spin()+" waiting for an answer")
	case a == nil:
		return c.paint(accent, c.spin()) + " " + c.paint(dim, "getting ready")
	}
	if c.s.Waits() {
		return c.waiting(*a)
	}
	text := c.paint(accent, c.spin()) + " " + c.paint(bold, a.String())
	switch try := c.s.Try(); {
	case a.SentBack != nil: // the notice says it
	case a.Purpose != mulligan.ForAttempt:
		text += "  " + a.Why()
	case try != "":
		text += "  " + try
	}
	text += "  " + c.paint(dim, view.Clock(a.Elapsed))
	if back := a.SentBack; back != nil {
		return text + "  " + c.paint(warn, back.String()) + "  " + view.PurposeWords(back.Base)
	}
	if a.Kind == view.OfAgent && a.Purpose == mulligan.ForAttempt && c.s.FedBack && c.s.Evidence != nil {
		text += "  " + c.paint(warn, "↩ answering "+c.s.Evidence.Gate)
	}
	return text
}

// ending is the way from the decision to end to the end.
func (c canvas) ending() string {
	word, _ := ending(c.s.Ending.Ended, c.s.Phase)
	text := c.paint(warned, c.spin()+" ending") + "  " + word
	if a := c.s.Running; a != nil {
		what := a.String()
		if a.Kind == view.OfAgent && a.Why() != "" {
			what = a.Why()
		}
		text = c.paint(warned, c.spin()+" "+what) + "  " + c.paint(dim, view.Clock(a.Elapsed)) + "  " + word
	}
	return text + "  " + c.paint(dim, "ctrl+c stops it")
}

func (c canvas) ended() string {
	o := c.s.Outcome
	word, t := ending(o.Ended, c.s.Phase)
	text := c.paint(t, word)
	if o.Ended == mulligan.Interrupted && o.Reason != "" {
		return c.paint(t, o.Reason)
	}
	if o.Reason != "" {
		return text + "  " + o.Reason
	}
	if o.Commit != "" {
		text += "  commit " + view.Commit(o.Commit)
	}
	return text
}

func (c canvas) spin() string {
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(frames[c.Frame%len(frames)])
}

func (c canvas) notes() []string {
	keep := 1
	if c.h >= boxed {
		keep = 2
	}
	var lines []string
	if hidden := c.hidden(); hidden != "" {
		lines = append(lines, hidden)
	}
	if waived := c.s.Waived(); !c.s.Over() {
		for _, what := range waived[:min(len(waived), keep)] {
			lines = append(lines, " "+c.paint(warn, "! "+what))
		}
	}
	failed := c.failedHooks()
	lines = append(lines, failed[:min(len(failed), keep)]...)
	for _, n := range c.s.Notes[max(0, len(c.s.Notes)-keep):] {
		lines = append(lines, " "+c.paint(warn, "! ")+n)
	}
	return lines
}

// hidden says that a question waits which the person has put aside.
func (c canvas) hidden() string {
	if len(c.s.Questions) == 0 || c.s.Over() || c.Asking.question(c.s) != nil || c.Asking.Hidden == 0 {
		return ""
	}
	return " " + c.paint(warn, "? ") + fmt.Sprintf("question %d waits for an answer: enter shows it", c.s.Questions[0].ID)
}

func (c canvas) footer() string {
	keys := [][2]string{{"q", "detach"}, {"ctrl+c", "stop"}, {"↑↓", "scroll"}, {"?", "help"}}
	if c.Pause {
		keys = slices.Insert(keys, 2, [2]string{"p", "pause"})
	}
	if c.w < 50 {
		keys = [][2]string{{"q", "detach"}, {"^c", "stop"}, {"?", "help"}}
	}
	var parts []string
	for _, k := range keys {
		parts = append(parts, c.paint(bold, k[0])+" "+c.paint(dim, k[1]))
	}
	left := " " + strings.Join(parts, "  ")
	right := view.Spent(c.s.Usage)
	if back := min(c.Scroll, *c.back); back > 0 {
		right = fmt.Sprintf("%d of %d lines back", back, *c.back)
	}
	if right == "" || width(left)+width(right)+3 > c.w {
		return left
	}
	return apart(left, c.paint(dim, right)+" ", c.w)
}
