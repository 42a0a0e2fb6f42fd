package tui

import (
	"fmt"

	"mulligan/view"
)

const (
	listItems  = "mulligan guard status"
	minContent = 28 // columns that are left for an item beside a command
)

// drawOverLimit draws at most so many lines about the items that wait for a person, and what comes after
// the person's word if the session has ended because of them.
func (c canvas) drawOverLimit(rows int) []string {
	waiting := c.s.Guard.Waiting()
	var lines []string
	for i, item := range waiting {
		if last := len(waiting) - i; i == rows-1 && last > 1 {
			lines = append(lines, c.drawClaims(fmt.Sprintf("%d items", last), listItems))
			break
		}
		lines = append(lines, c.drawClaims(item.Quoted(), item.ApproveCommand(), listItems))
	}
	switch {
	case !c.s.Over() || len(c.s.Outcome.Over) == 0 || len(lines) == 0:
	case !c.hasRoomFor(listItems):
		lines = append(lines, "   "+c.paint(view.Bold, listItems))
	default:
		lines = append(lines, "   "+c.paint(view.Quiet, "then")+" "+c.paint(view.Bold, "mulligan resume"))
	}
	return lines
}

// drawClaims draws a line about items that were claimed too often, with the first of some commands that
// there is room for.
func (c canvas) drawClaims(items string, commands ...string) string {
	line := " " + c.paint(view.Warn, "? ") + items + " claimed too often"
	for _, command := range commands {
		if c.hasRoomFor(command) {
			return justify(line, c.paint(view.Bold, command)+" ", c.w)
		}
	}
	return line
}

// hasRoomFor reports whether a command fits beside an item.
func (c canvas) hasRoomFor(command string) bool { return minContent+width(command)+2 <= c.w }
