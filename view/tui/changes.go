package tui

import (
	"fmt"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

// describeTouched returns what the session has changed so far, or in all, in a few words; "" if that is not
// known.
func (c canvas) describeTouched() string {
	t := c.touched()
	if t == nil || t.Files == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s %s", text.Count(t.Files, "file"), c.paint(view.Good, fmt.Sprintf("+%d", t.Added)), c.paint(view.Bad, fmt.Sprintf("-%d", t.Deleted)))
}

// touched returns what the session has changed, or nil if that is not known.
func (c canvas) touched() *mulligan.Touched {
	if c.s.Outcome != nil && c.s.Outcome.Touched != nil {
		return c.s.Outcome.Touched
	}
	return c.s.Touched
}

// drawChanges draws a pane with the files that the session has changed: the tests among them first.
func (c canvas) drawChanges(rows int) []string {
	t := c.touched()
	switch {
	case t == nil:
		return c.drawPane("changed files", "", []string{c.paint(view.Quiet, "known when the first turn has ended")}, rows)
	case t.Files == 0:
		return c.drawPane("changed files", "", []string{c.paint(view.Quiet, "none so far")}, rows)
	}
	var lines []string
	tests := map[string]bool{}
	for _, f := range t.Tests {
		tests[f.Path] = true
		lines = append(lines, c.drawTouchedFile(f, "test "))
	}
	for _, f := range t.Top {
		if !tests[f.Path] {
			lines = append(lines, c.drawTouchedFile(f, ""))
		}
	}
	room := max(1, rows-c.frameRows())
	if hidden := t.Files - min(room, len(lines)); hidden > 0 {
		shown := min(len(lines), room-1)
		lines = append(lines[:max(0, shown)], c.paint(view.Quiet, fmt.Sprintf("… %d more: mulligan diff %s", t.Files-max(0, shown), c.s.Session)))
	}
	return c.drawPane("changed files", c.describeTouched(), lines, rows)
}

// drawTouchedFile draws a changed file's line.
func (c canvas) drawTouchedFile(f mulligan.TouchedFile, kind string) string {
	figures := c.paint(view.Good, fmt.Sprintf("%6s", fmt.Sprintf("+%d", f.Added))) + " " + c.paint(view.Bad, fmt.Sprintf("%-6s", fmt.Sprintf("-%d", f.Deleted)))
	how := ""
	if kind != "" || f.Change != mulligan.FileChanged {
		how = kind + string(f.Change)
	}
	tone := view.Quiet
	if kind != "" {
		tone = view.Warn
	}
	return view.Join("  ", figures, view.Line(f.Path), c.paint(tone, how))
}
