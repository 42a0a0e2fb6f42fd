package tui

import (
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

// drawHeader draws the task and the session's state; with room for it also where it works and its
// progress.
func (c canvas) drawHeader() []string {
	state, t := c.describeState()
	title := " " + c.paint(titleStyle, "mulligan") + "  " + c.paint(view.Bold, c.s.Task)
	if c.s.InFolder != "" {
		title += "  " + c.paint(view.Quiet, "task "+c.s.InFolder)
	}
	right := c.paint(t, state) + " "
	if !c.s.Waits() {
		right = c.paint(t, state) + "  " + view.Clock(c.s.Elapsed) + " "
	}
	lines := []string{justify(title, right, c.w)}
	if c.h < roomy {
		return lines
	}
	if c.s.Started.IsZero() {
		return append(lines, "", c.drawProgress())
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
	if step := c.s.Step(); step != nil && step.Budget() != "" {
		about = append(about, step.Budget())
	}
	line := " " + c.paint(view.Quiet, strings.Join(about, " · "))
	if touched := c.describeTouched(); touched != "" {
		line = justify(line, touched+" ", c.w)
	}
	lines = append(lines, line, c.drawProgress())
	if gauges := c.drawGauges(); gauges != "" {
		lines = append(lines, gauges)
	}
	return lines
}

// describeState returns the session's state in a word or two.
func (c canvas) describeState() (word string, t view.Tone) {
	switch {
	case c.s.Over():
		return c.describeOutcome(*c.s.Outcome)
	case c.Stops > 0:
		return "stopping", warningStyle
	case c.s.Interrupted != "":
		return "interrupted", warningStyle
	case c.s.Started.IsZero():
		return "starting", view.Quiet
	case c.s.Ending != nil:
		return "ending", warningStyle
	case len(c.s.Questions) > 0:
		return "asks you", warningStyle
	case c.s.Pausing != "":
		return "pausing", warningStyle
	case c.s.Waits():
		return "waiting", warningStyle
	}
	return "running", accentStyle
}

// describeOutcome returns a few words for how the session ended, or will have.
func (c canvas) describeOutcome(o mulligan.Outcome) (words string, t view.Tone) {
	_, words, t = view.EndingWords(o.Ended, view.Paused(o.Ended, len(o.Over) > 0, c.s.Phase))
	return words, view.Bold + ";" + t
}

// drawProgress draws a rule across the screen, a piece of it for each step.
func (c canvas) drawProgress() string {
	inner, n := max(0, c.w-2), len(c.s.Steps)
	if c.s.Loop != nil {
		return " " + c.drawLoopProgress(inner)
	}
	if n == 0 {
		return " " + c.paint(view.Quiet, strings.Repeat("─", inner))
	}
	var b strings.Builder
	for i, s := range c.s.Steps {
		part := inner*(i+1)/n - inner*i/n
		_, t := view.StepMark(s.Status)
		piece := "━"
		switch s.Status {
		case view.Running:
			piece, t = "╍", accentStyle
		case view.Open:
			piece = "─"
		default:
		}
		b.WriteString(c.paint(t, strings.Repeat(piece, part)))
	}
	return " " + b.String()
}
