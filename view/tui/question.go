package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mulligan/internal/text"
	"mulligan/view"
)

const maxAnswer = 2000 // characters

// An Asking is how far the person is with answering a question.
type Asking struct {
	Can    bool   // answers can be given from here
	Input  string // what has been typed
	For    int    // the question that it was typed for
	Hidden int    // questions up to this one are not in the way
	Sent   []int  // the questions whose answers are on their way
	Down   int    // lines that a question too long for the screen is scrolled down
}

// shownQuestion returns the question to show, or nil if none is open that is neither hidden nor
// answered.
func (a Asking) shownQuestion(s view.Snapshot) *view.Question {
	for i, q := range s.Questions {
		if q.ID > a.Hidden && !slices.Contains(a.Sent, q.ID) {
			return &s.Questions[i]
		}
	}
	return nil
}

// inputFor returns what has been typed for a question, and nothing that was typed for another.
func (a Asking) inputFor(q view.Question) string {
	if a.For != q.ID {
		return ""
	}
	return a.Input
}

// answerFor returns what the typed text stands for: the option with that number, unless the text is an
// option itself.
func (a Asking) answerFor(q view.Question) string {
	typed := strings.TrimSpace(a.inputFor(q))
	if n, err := strconv.Atoi(typed); err == nil && n >= 1 && n <= len(q.Options) && !slices.Contains(q.Options, typed) {
		return q.Options[n-1]
	}
	return typed
}

// drawQuestion draws the question's pane on at most so many rows.
func (c canvas) drawQuestion(q view.Question, rows int) []string {
	title := view.Join("  ", c.paint(warningStyle, fmt.Sprintf("question %d", q.ID)), view.AskerWords(q.Question))
	left := c.paint(view.Warn, "waits for you")
	if !q.Forever {
		left = c.paint(view.Warn, view.Clock(q.Left)+" left")
	}
	var body []string
	for line := range strings.SplitSeq(q.Text, "\n") {
		tone := diffTone(q, line)
		for _, row := range wrap(line, c.innerWidth()) {
			body = append(body, c.paint(tone, row))
		}
	}
	tail := c.drawChoices(q)
	if room := max(0, rows-c.frameRows()-len(tail)); len(body) > room {
		c.area.hidden = len(body) - room
		down := min(c.Asking.Down, c.area.hidden)
		body = body[down : down+room]
		switch left := c.area.hidden - down; {
		case room == 0 || left == 0:
		case room < 4:
			body[room-1] = fit(body[room-1], max(1, c.innerWidth()-2)) + " …"
		default:
			body[room-1] = c.paint(view.Quiet, "… "+text.Count(left+1, "more line")+", ↓ shows them")
		}
	}
	lines := append(body, tail...)
	if most := max(1, rows-c.frameRows()); len(lines) > most {
		lines = lines[len(lines)-most:] // the place to type stays in sight
	}
	if rows <= c.frameRows() {
		return []string{" " + lines[len(lines)-1]}
	}
	return c.drawPane(title, left, lines, len(lines)+c.frameRows())
}

// diffTone returns the tone of a line of a question: an edit that an agent asks for is shown as a diff.
func diffTone(q view.Question, line string) view.Tone {
	switch {
	case q.Scope == "": // it asks for no permission
	case strings.HasPrefix(line, "+"):
		return view.Good
	case strings.HasPrefix(line, "-"):
		return view.Bad
	case strings.HasPrefix(line, "@@"):
		return view.Quiet
	}
	return view.Usual
}

// drawChoices draws the options, the default, and the line to type on.
func (c canvas) drawChoices(q view.Question) []string {
	var lines []string
	for i, o := range q.Options {
		taken := ""
		if o == q.Default {
			taken = "taken when nobody answers"
		}
		line := c.paint(view.Bold, strconv.Itoa(i+1)) + "  " + o
		lines = append(lines, view.Join("  ", line, c.paint(view.Quiet, c.s.Meaning(q.Question, o)), c.paint(view.Quiet, taken)))
	}
	if q.Default != "" && !slices.Contains(q.Options, q.Default) {
		lines = append(lines, c.paint(view.Quiet, "when nobody answers: "+view.DefaultWords(q.Question)))
	}
	if !c.Asking.Can {
		return append(lines, c.paint(view.Quiet, fmt.Sprintf("mulligan answer %d … answers it", q.ID)))
	}
	input := c.Asking.inputFor(q)
	if input == "" {
		hint := "type an answer, enter sends it, esc hides the question"
		if len(q.Options) > 0 {
			hint = "type a number, enter sends it, esc hides the question"
		}
		return append(lines, c.paint(accentStyle, "> ")+c.paint(view.Quiet, hint))
	}
	return append(lines, c.paint(accentStyle, "> ")+cutLeft(input, c.innerWidth()-3)+c.paint(accentStyle, "▏"))
}

// cutLeft returns the end of a text, no wider than w.
func cutLeft(s string, w int) string {
	for width(s) > max(1, w) {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// handleAnswerKey takes a key while a question is shown, and reports whether it was for the answer. On
// an empty line the screen's own keys keep their meaning.
func (s *screen) handleAnswerKey(key tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	a := &s.look.Asking
	q := a.shownQuestion(s.snap)
	if q == nil || !a.Can {
		return nil, false
	}
	a.switchTo(*q)
	switch name := key.String(); {
	case name == "enter":
		return s.sendAnswer(*q), true
	case name == "esc":
		a.Hidden, a.Input = q.ID, ""
	case a.Input == "" && (name == "q" || name == "?"):
		return nil, false
	default:
		a.Input, taken = editLine(a.Input, key)
		return nil, taken
	}
	return nil, true
}

// switchTo begins an answer anew if another question is shown now.
func (a *Asking) switchTo(q view.Question) {
	if a.For != q.ID {
		a.Down = 0
	}
	a.Input, a.For = a.inputFor(q), q.ID
}

// sendAnswer sends what was typed.
func (s *screen) sendAnswer(q view.Question) tea.Cmd {
	a := &s.look.Asking
	answer := a.answerFor(q)
	if answer == "" {
		return nil
	}
	send, typed := s.actions.Answer, a.Input
	a.Sent, a.Input = append(a.Sent, q.ID), "" // the next question may be there before this one's answer has arrived
	return func() tea.Msg { return answeredMsg{q.ID, typed, send(q.ID, answer)} }
}

// handleAnswered takes the result of sending an answer. One that did not arrive comes back, to be sent
// again, unless another is being typed.
func (s *screen) handleAnswered(msg answeredMsg) {
	if msg.err == nil {
		return
	}
	a := &s.look.Asking
	a.Sent = slices.DeleteFunc(slices.Clone(a.Sent), func(id int) bool { return id == msg.id })
	if a.Input == "" {
		a.Input, a.For = msg.typed, msg.id
	}
	s.look.Message = fmt.Sprintf("question %d is not answered: %s", msg.id, view.Line(msg.err.Error()))
}

// pauseSession asks the session to pause.
func (s *screen) pauseSession() tea.Cmd {
	if s.actions.Pause == nil || s.snap.Over() {
		return nil
	}
	pause := s.actions.Pause
	return func() tea.Msg { return pausedMsg{pause()} }
}
