package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mulligan/view"
)

// A Typing is a line that the person types, other than an answer.
type Typing struct {
	For  TypingFor
	Text string
}

// TypingFor is what a line is typed for.
type TypingFor string

const (
	TypingNothing TypingFor = ""
	TypingMessage TypingFor = "message" // to the agent
	TypingSearch  TypingFor = "search"  // in the output
	TypingWord    TypingFor = "word"    // about an item that was claimed too often
)

type toldMsg struct {
	typed string
	err   error
}

// editLine returns a line after a key, and reports whether the key was one that edits.
func editLine(line string, key tea.KeyPressMsg) (edited string, ok bool) {
	switch name := key.String(); {
	case name == "backspace":
		_, n := utf8.DecodeLastRuneInString(line)
		return line[:len(line)-n], true
	case name == "ctrl+u":
		return "", true
	case name == "ctrl+w":
		return line[:strings.LastIndexByte(strings.TrimRight(line, " "), ' ')+1], true
	case key.Text == "":
		return line, false
	}
	return addText(line, key.Text), true
}

// addText adds to a line, unless it would get too long. Pasted text may be anything, and is cleaned.
func addText(line, more string) string {
	if more != " " {
		more = strings.ReplaceAll(view.Text(more), "\n", " ")
	}
	if utf8.RuneCountInString(line)+utf8.RuneCountInString(more) > maxAnswer {
		return line
	}
	return line + more
}

// startTyping begins a line, if there is something that can be done with it.
func (s *screen) startTyping(what TypingFor) {
	switch {
	case what == TypingMessage && (s.actions.Tell == nil || s.snap.Over()):
		return
	case what == TypingWord && (s.actions.Decide == nil || len(s.snap.Guard.Waiting()) == 0):
		return
	}
	s.look.Help, s.look.Typing = false, Typing{For: what}
}

// handleTypingKey takes a key while a line is typed, and reports whether it was for the line.
func (s *screen) handleTypingKey(key tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	t := &s.look.Typing
	if t.For == TypingNothing {
		return nil, false
	}
	switch key.String() {
	case "esc":
		*t = Typing{}
		return nil, true
	case "enter":
		return s.finishTyping(), true
	}
	var edited bool
	t.Text, edited = editLine(t.Text, key)
	return nil, edited
}

// finishTyping does what the line was typed for.
func (s *screen) finishTyping() tea.Cmd {
	t := s.look.Typing
	s.look.Typing = Typing{}
	text := strings.TrimSpace(t.Text)
	switch {
	case t.For == TypingSearch:
		s.searchFor(text)
		return nil
	case t.For == TypingWord:
		return s.decideItem(text)
	case text == "":
		return nil
	}
	tell := s.actions.Tell
	return func() tea.Msg { return toldMsg{t.Text, tell(text)} }
}

// handleTold takes the result of sending a message. One that did not arrive comes back, to be sent again,
// unless another line is being typed.
func (s *screen) handleTold(msg toldMsg) {
	if msg.err == nil {
		s.look.Message = "sent: the agent gets it with its next prompt"
		return
	}
	if s.look.Typing.For == TypingNothing {
		s.look.Typing = Typing{For: TypingMessage, Text: msg.typed}
	}
	s.look.Message = "the message was not sent: " + view.Line(msg.err.Error())
}

// drawMessage draws the pane in which a message to the agent is typed.
func (c canvas) drawMessage(rows int) []string {
	line := c.paint(accentStyle, "> ") + c.paint(view.Quiet, "the agent gets it with its next prompt; enter sends it, esc does not")
	if c.Typing.Text != "" {
		line = c.paint(accentStyle, "> ") + cutLeft(c.Typing.Text, c.innerWidth()-3) + c.paint(accentStyle, "▏")
	}
	if rows <= c.frameRows() {
		return []string{" " + line}
	}
	return c.drawPane(c.paint(titleStyle, "message to the agent"), "", []string{line}, 1+c.frameRows())
}
