package tui

import (
	"fmt"
	"strings"

	"mulligan/view"
)

// drawLoop draws a loop's one step and, under it, the tasks that come next.
func (c canvas) drawLoop(rows int) []string {
	if len(c.s.Steps) == 0 {
		return nil
	}
	step := c.s.Steps[0]
	mark, t := c.stepMark(step.Status)
	claim := ""
	if c.s.Claimed {
		claim = "says it is complete"
	}
	line := view.Join("  ", " "+c.paint(t, mark)+" "+c.paint(view.Bold, fit(step.Name, c.nameWidth())), c.s.Try(),
		c.paint(view.Quiet, view.Commit(step.Commit)), c.paint(view.Warn, claim))
	lines := []string{justify(line+c.drawChecks(step.Checks), c.paint(view.Quiet, c.s.Tasks.String())+" ", c.w)}
	return append(lines, c.drawTasks(rows-1)...)
}

// drawTasks draws open tasks on at most so many rows, first the one to be taken next.
func (c canvas) drawTasks(rows int) []string {
	var lines []string
	for _, t := range c.s.Tasks.List[:min(max(0, rows), len(c.s.Tasks.List))] {
		mark, markStyle := t.Mark()
		if markStyle == view.Bold {
			markStyle = accentStyle
		}
		line := fmt.Sprintf("   %s %s", c.paint(markStyle, fmt.Sprintf("%s %2d", mark, t.ID)), t.Content)
		lines = append(lines, view.Join("  ", line, c.paint(view.Quiet, view.TaskDetails(t.TaskItem))))
	}
	if hidden := c.s.Tasks.Open - len(lines); hidden > 0 && len(lines) > 0 {
		lines[len(lines)-1] = justify(lines[len(lines)-1], c.paint(view.Quiet, fmt.Sprintf("%d more open ", hidden)), c.w)
	}
	return lines
}

// drawLoopProgress draws how many of the agent's tasks are done; how many of the iterations, if it has
// planned no tasks.
func (c canvas) drawLoopProgress(inner int) string {
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
	return c.paint(view.Good, strings.Repeat("━", part)) + c.paint(view.Quiet, strings.Repeat("─", inner-part))
}

// drawFailedHooks draws the hooks that failed when they ran last.
func (c canvas) drawFailedHooks() []string {
	var lines []string
	for _, h := range c.s.Hooks {
		if !h.Running && !h.OK && !h.Blocks() { // what blocks is the evidence
			lines = append(lines, " "+c.paint(view.Bad, "✗ ")+fmt.Sprintf("hook %s (%s) %s: %s", h.Name, h.Moment, h.DecisionWords(), h.Why()))
		}
	}
	return lines
}
