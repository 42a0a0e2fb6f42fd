package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mulligan/view"
)

// The words that a person can say about an item, as they are typed.
const (
	typedApprove = "1"
	typedRelease = "2"
)

type decidedMsg struct {
	item string
	err  error
}

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
	if c.Decide {
		commands = []string{"a decides, or " + commands[0], "a decides"}
	}
	for _, command := range commands {
		if c.hasRoomFor(command) {
			return justify(line, c.paint(view.Bold, command)+" ", c.w)
		}
	}
	return line
}

// hasRoomFor reports whether a command fits beside an item.
func (c canvas) hasRoomFor(command string) bool { return minContent+width(command)+2 <= c.w }

// drawItem draws the pane in which a person decides about the first item that was claimed too often.
func (c canvas) drawItem(rows int) []string {
	waiting := c.s.Guard.Waiting()
	if len(waiting) == 0 {
		return nil
	}
	item := waiting[0]
	_, words, _ := c.s.DescribeItem(item)
	var lines []string
	if item.Reason != "" {
		lines = wrap(item.Reason, c.innerWidth())
	}
	lines = append(lines,
		c.paint(view.Bold, typedApprove)+"  approve  "+c.paint(view.Quiet, "its next claim passes, whatever was found about it"),
		c.paint(view.Bold, typedRelease)+"  release  "+c.paint(view.Quiet, "its claims begin anew"))
	input := c.paint(view.Quiet, "type a number, enter sends it, esc leaves the item as it is")
	if c.Typing.Text != "" {
		input = cutLeft(c.Typing.Text, c.innerWidth()-3) + c.paint(accentStyle, "▏")
	}
	lines = append(lines, c.paint(accentStyle, "> ")+input)
	if most := max(1, rows-c.frameRows()); len(lines) > most {
		lines = lines[len(lines)-most:] // the place to type stays in sight
	}
	if rows <= c.frameRows() {
		return []string{" " + lines[len(lines)-1]}
	}
	return c.drawPane(view.Join("  ", c.paint(warningStyle, item.Quoted()), words), "", lines, len(lines)+c.frameRows())
}

// decideItem sends the person's word about the first item that was claimed too often.
func (s *screen) decideItem(typed string) tea.Cmd {
	waiting := s.snap.Guard.Waiting()
	if len(waiting) == 0 || typed != typedApprove && typed != typedRelease {
		return nil
	}
	decide, item := s.actions.Decide, waiting[0]
	return func() tea.Msg { return decidedMsg{item.Quoted(), decide(item.Name, typed == typedApprove)} }
}

// handleDecided takes the result of a person's word about an item.
func (s *screen) handleDecided(msg decidedMsg) {
	if msg.err != nil {
		s.look.Message = msg.item + " stays as it is: " + view.Line(msg.err.Error())
	}
}
