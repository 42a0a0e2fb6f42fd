package plain

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mulligan"
	"mulligan/view"
)

// ListOptions are how sessions are listed.
type ListOptions struct {
	Color bool
	Now   time.Time
	// Alive reports whether the process of a session that has not ended still runs; nil
	// takes them all for running.
	Alive func(mulligan.Summary) bool
	// Stopping reports whether a person has stopped a session that still runs; nil: none is.
	Stopping func(mulligan.Summary) bool
}

// Sessions writes one line for each session, in the order given.
func Sessions(w io.Writer, list []mulligan.Summary, opt ListOptions) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no sessions yet: mulligan run TASK.md begins one")
		return
	}
	rows := [][]part{{dim.say("SESSION"), dim.say("STATE"), dim.say("STEP"), dim.say("UPDATED"), dim.say("TASK")}}
	for _, s := range list {
		rows = append(rows, sessionRow(s, opt))
	}
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, p := range r {
			widths[i] = max(widths[i], ansi.StringWidth(p.text))
		}
	}
	var lines strings.Builder // written at once: a list of years has thousands
	for _, r := range rows {
		for i := range r[:len(r)-1] {
			r[i].text = pad(r[i].text, widths[i])
		}
		Options{Color: opt.Color}.writeLine(&lines, "", r...)
	}
	_, _ = io.WriteString(w, lines.String())
}

// sessionRow returns the cells of a session's line.
func sessionRow(s mulligan.Summary, opt ListOptions) []part {
	word, t := "running", view.Bold
	switch {
	case s.Ended != "":
		word, _, t = view.EndingWords(s.Ended, view.Paused(s.Ended, s.OverLimit, s.Phase))
	case opt.Alive != nil && !opt.Alive(s):
		word, t = "stopped", view.Warn
	case opt.Stopping != nil && opt.Stopping(s):
		word, t = "stopping", view.Warn
	case s.Asks:
		word, t = "waiting", view.Warn
	case s.LimitedUntil.After(opt.Now):
		word, t = "rate limited", view.Warn
	}
	step := ""
	switch {
	case s.Name != "":
		step = "loop " + view.Line(s.Name)
		if s.Iteration > 0 {
			step += fmt.Sprintf(", iteration %d", s.Iteration)
		}
	case s.Steps > 0:
		step = fmt.Sprintf("%d/%d %s", s.StepNo, s.Steps, view.Line(s.Step))
	}
	cells := []part{say("%s", s.ID), tone(t).say("%s", word), say("%s", step), dim.say("%s", formatAge(opt.Now.Sub(s.Updated))), say("%s", s.Task)}
	for i := range cells {
		cells[i].text = cmp.Or(view.Line(cells[i].text), "-")
	}
	return cells
}

// formatAge returns how long ago something was.
func formatAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}
