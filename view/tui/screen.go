package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mulligan/view"
)

// A screen is the bubbletea model. It draws on its beat and on keys, never per event: a chatty agent
// stays cheap.
type screen struct {
	src     *source
	actions Actions

	w, h     int
	look     Look
	snap     view.Snapshot
	area     outputArea // what was last drawn of the output
	content  string
	detached bool // the person detached
}

type (
	tickMsg    time.Time
	stoppedMsg struct{ err error }
	pausedMsg  struct{ err error }

	answeredMsg struct {
		id    int
		typed string
		err   error
	}
)

func newScreen(src *source, actions Actions, opt Options) *screen {
	return &screen{src: src, actions: actions, look: Look{
		Color: opt.Color, Pause: actions.Pause != nil, Tell: actions.Tell != nil, Decide: actions.Decide != nil, Asking: Asking{Can: actions.Answer != nil},
		wraps: &wrapCache{},
	}}
}

func (s *screen) Init() tea.Cmd { return s.scheduleTick() }

func (s *screen) View() tea.View {
	v := tea.NewView(s.content)
	v.AltScreen = true
	return v
}

func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, beat := msg.(tickMsg); !beat {
		s.src.wakeScreen() // what the person does is seen at once, however calm the screen is
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h = msg.Width, msg.Height
		s.look.Scroll = 0
		s.draw()
	case tickMsg:
		s.look.Frame++
		s.refresh()
		s.draw()
		if s.src.isFinished() {
			return s, tea.Quit
		}
		return s, s.scheduleTick()
	case stoppedMsg:
		if msg.err != nil {
			s.look.Stops = 0
			s.look.Message = "cannot stop the session: " + view.Line(msg.err.Error())
		}
	case pausedMsg:
		s.look.Message = "pausing when the running turn's checks are through"
		if msg.err != nil {
			s.look.Message = "cannot pause the session: " + view.Line(msg.err.Error())
		}
	case answeredMsg:
		s.handleAnswered(msg)
	case decidedMsg:
		s.handleDecided(msg)
	case toldMsg:
		s.handleTold(msg)
	case tea.PasteMsg:
		if t := &s.look.Typing; t.For != TypingNothing {
			t.Text = addText(t.Text, msg.Content)
			s.draw()
		} else if a := &s.look.Asking; a.Can && a.shownQuestion(s.snap) != nil {
			a.switchTo(*a.shownQuestion(s.snap))
			a.Input = addText(a.Input, msg.Content)
			s.draw()
		}
	case tea.KeyPressMsg:
		cmd := s.handleKey(msg)
		s.draw()
		return s, cmd
	}
	return s, nil
}

// refresh takes the newest snapshot. If the person has scrolled back, the same lines stay in sight.
func (s *screen) refresh() {
	before := s.snap.LinesEver
	s.snap = s.src.snapshot()
	if s.look.Scroll > 0 {
		s.look.Scroll += int(s.snap.LinesEver - before)
	}
}

func (s *screen) draw() {
	s.content, s.area = drawScreen(s.snap, s.w, s.h, s.look)
	s.look.Scroll = min(s.look.Scroll, s.area.back())
}

// handleKey takes a key: for the line that is typed, for the answer, if a question is shown, else for the
// screen.
func (s *screen) handleKey(key tea.KeyPressMsg) tea.Cmd {
	s.look.Message = ""
	if cmd, taken := s.handleTypingKey(key); taken {
		return cmd
	}
	if cmd, taken := s.handleAnswerKey(key); taken {
		return cmd
	}
	return s.handleCommand(key.String())
}

// handleCommand does what a key of the screen stands for.
func (s *screen) handleCommand(key string) tea.Cmd {
	page := max(1, s.h/3)
	switch key {
	case "q", "d", "ctrl+d":
		return s.detach()
	case "ctrl+c":
		return s.stopSession()
	case "ctrl+z":
		return tea.Suspend
	case "p":
		return s.pauseSession()
	case "enter":
		s.look.Asking.Hidden = 0
	case "?", "h":
		s.look.Help = !s.look.Help
	case "esc":
		s.look.Help, s.look.Changes, s.look.Search, s.look.Scroll = false, false, "", 0
	case "m":
		s.startTyping(TypingMessage)
	case "a":
		s.startTyping(TypingWord)
	case "/":
		s.startTyping(TypingSearch)
	case "n", "N":
		s.findNext(key == "n")
	case "z":
		s.foldOutput()
	case "c":
		s.look.Changes = !s.look.Changes
	case "up", "k":
		s.scroll(1)
	case "down", "j":
		s.scroll(-1)
	case "pgup", "b":
		s.scroll(page)
	case "pgdown", "space", "f":
		s.scroll(-page)
	case "home", "g":
		s.scroll(s.area.back())
	case "end", "G":
		s.scroll(-s.look.Scroll)
	}
	return nil
}

// scroll scrolls a question that the screen has no room for, or else the output: by lines back, or forward
// if by is negative.
func (s *screen) scroll(by int) {
	if a := &s.look.Asking; s.area.hidden > 0 {
		a.Down = min(max(0, a.Down-by), s.area.hidden)
		return
	}
	s.look.Scroll = min(max(0, s.look.Scroll+by), s.area.back())
}

// detach leaves the session running and ends the screen.
func (s *screen) detach() tea.Cmd {
	s.detached = true
	return tea.Quit
}

// stopSession asks the session to stop, the second time at once, and the third time detaches: a session
// that does not answer cannot hold the person.
func (s *screen) stopSession() tea.Cmd {
	if s.actions.Stop == nil || s.look.Stops >= 2 {
		return s.detach()
	}
	s.look.Stops++
	stop, now := s.actions.Stop, s.look.Stops > 1
	return func() tea.Msg { return stoppedMsg{stop(now)} }
}
