package tui

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/view"
)

// loop shows a loop's one step and, under it, the tasks that come next.
func (c canvas) loop(rows int) []string {
	if len(c.s.Steps) == 0 {
		return nil
	}
	step := c.s.Steps[0]
	mark, t := stepMark(step.Status)
	if step.Status == view.Running && c.s.Over() {
		mark, t = "○", warn
	}
	line := " " + c.paint(t, mark) + " " + c.paint(bold, fit(step.Name, c.nameWidth()))
	if try := c.s.Try(); try != "" {
		line += "  " + try
	}
	if step.Commit != "" {
		line += "  " + c.paint(dim, view.Commit(step.Commit))
	}
	if c.s.Claimed {
		line += "  " + c.paint(warn, "says it is complete")
	}
	lines := []string{apart(line+c.checks(step.Checks), c.paint(dim, c.s.Tasks.String())+" ", c.w)}
	return append(lines, c.tasks(rows-1)...)
}

// tasks lists open tasks, the one to be taken first, on at most so many rows.
func (c canvas) tasks(rows int) []string {
	var lines []string
	for _, t := range c.s.Tasks.List[:min(max(0, rows), len(c.s.Tasks.List))] {
		mark, tone := "○", usual
		switch {
		case t.Blocked:
			mark, tone = "◌", dim
		case t.Status == mulligan.InProgress:
			mark, tone = "●", accent
		}
		line := fmt.Sprintf("   %s %s", c.paint(tone, fmt.Sprintf("%s %2d", mark, t.ID)), t.Content)
		if about := view.About(t.TaskItem); about != "" {
			line += "  " + c.paint(dim, about)
		}
		lines = append(lines, line)
	}
	if hidden := c.s.Tasks.Open - len(lines); hidden > 0 && len(lines) > 0 {
		lines[len(lines)-1] = apart(lines[len(lines)-1], c.paint(dim, fmt.Sprintf("%d more open ", hidden)), c.w)
	}
	return lines
}

// loopProgress is how much of what the agent has planned is done; of the iterations where it
// has planned nothing.
func (c canvas) loopProgress(inner int) string {
	done, all := c.s.Tasks.All-c.s.Tasks.Open, c.s.Tasks.All
	if all == 0 {
		done, all = c.s.Iteration-c.s.Loop.Before-1, c.s.Loop.Iterations
	}
	if out := c.s.Outcome; out != nil && out.Good() {
		done, all = 1, 1
	}
	part := 0
	if all > 0 {
		part = inner * min(max(0, done), all) / all
	}
	return c.paint(good, strings.Repeat("━", part)) + c.paint(dim, strings.Repeat("─", inner-part))
}

// failedHooks are those that failed when they ran last.
func (c canvas) failedHooks() []string {
	var lines []string
	for _, h := range c.s.Hooks {
		switch {
		case h.Running, h.OK, h.Blocks(): // what blocks is the evidence
		case h.Agents:
			lines = append(lines, " "+c.paint(bad, "✗ ")+fmt.Sprintf("hook %s (%s) %s: %s", h.Name, h.Moment, h.Said(), h.Why()))
		default:
			lines = append(lines, " "+c.paint(bad, "✗ ")+fmt.Sprintf("hook %s (%s) failed: %s", h.Name, h.Moment, h.Exit))
		}
	}
	return lines
}
