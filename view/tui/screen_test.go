package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mulligan"
	"mulligan/view"
	"mulligan/view/viewtest"
)

func testScreen(actions Actions) *screen {
	src := &source{model: view.NewModel()}
	viewtest.Streams()[2].Play(src.model.Apply, src.model.Live)
	s := newScreen(src, actions, Options{})
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.Update(tickMsg{})
	return s
}

func press(s *screen, key tea.Key) tea.Msg {
	_, cmd := s.Update(tea.KeyPressMsg(key))
	if cmd == nil {
		return nil
	}
	return cmd()
}

var ctrlC = tea.Key{Code: 'c', Mod: tea.ModCtrl}

func TestCtrlCAsksThenInsistsThenLeaves(t *testing.T) {
	var asked []bool
	s := testScreen(Actions{Stop: func(now bool) error { asked = append(asked, now); return nil }})
	s.Update(press(s, ctrlC))
	if !strings.Contains(s.content, "ctrl+c again: at once") || s.detached {
		t.Errorf("after the first, left is %v and the screen\n%s", s.detached, s.content)
	}
	s.Update(press(s, ctrlC))
	if len(asked) != 2 || asked[0] || !asked[1] {
		t.Errorf("the session was asked %v, want once gently and once at once", asked)
	}
	if _, quit := press(s, ctrlC).(tea.QuitMsg); !quit || !s.detached || len(asked) != 2 {
		t.Errorf("the third leaves: quit %v, left %v, asked %v", quit, s.detached, asked)
	}
}

func TestAStopThatFailsIsSaidAndCanBeTriedAgain(t *testing.T) {
	s := testScreen(Actions{Stop: func(bool) error { return errors.New("no such \x1b[31mprocess") }})
	s.Update(press(s, ctrlC))
	s.Update(tickMsg{})
	if !strings.Contains(s.content, "cannot stop the session: no such process") {
		t.Errorf("the screen shows\n%s", s.content)
	}
	if s.look.Stops != 0 {
		t.Errorf("the failed request counts: %d", s.look.Stops)
	}
}

func TestCtrlCDetachesWhereNothingCanBeStopped(t *testing.T) {
	s := testScreen(Actions{})
	if _, quit := press(s, ctrlC).(tea.QuitMsg); !quit || !s.detached {
		t.Errorf("quit %v, left %v", quit, s.detached)
	}
}

func TestDetach(t *testing.T) {
	for _, key := range []rune{'q', 'd'} {
		s := testScreen(Actions{Stop: func(bool) error { t.Error("the session was stopped"); return nil }})
		if _, quit := press(s, tea.Key{Code: key, Text: string(key)}).(tea.QuitMsg); !quit || !s.detached {
			t.Errorf("%c: quit %v, left %v", key, quit, s.detached)
		}
	}
}

func TestHelp(t *testing.T) {
	s := testScreen(Actions{})
	question := tea.Key{Code: '?', Text: "?"}
	press(s, question)
	if !strings.Contains(s.content, "mulligan attach comes back") {
		t.Errorf("no help on\n%s", s.content)
	}
	press(s, question)
	if strings.Contains(s.content, "mulligan attach comes back") {
		t.Errorf("help stays on\n%s", s.content)
	}
}

// Who has scrolled back keeps the same lines in sight while more come.
func TestScrolling(t *testing.T) {
	s := testScreen(Actions{})
	s.src.model.Live([]byte(strings.Repeat("line\n", 30) + "marker\n" + strings.Repeat("line\n", 30)))
	s.Update(tickMsg{})
	for range 500 {
		press(s, tea.Key{Code: tea.KeyUp})
	}
	if s.look.Scroll != s.area.back() {
		t.Errorf("scrolled back %d of %d", s.look.Scroll, s.area.back())
	}
	press(s, tea.Key{Code: tea.KeyEnd})
	if s.look.Scroll != 0 {
		t.Errorf("the end is %d lines back", s.look.Scroll)
	}
	for !strings.Contains(s.content, "marker") {
		press(s, tea.Key{Code: tea.KeyUp})
		if s.look.Scroll == s.area.back() {
			t.Fatalf("the marker is not in sight:\n%s", s.content)
		}
	}
	s.src.model.Live([]byte(strings.Repeat("more\n", 20)))
	s.Update(tickMsg{})
	if !strings.Contains(s.content, "marker") {
		t.Errorf("new lines have moved the marker out of sight:\n%s", s.content)
	}
}

// Drawing is on the beat: what comes in between costs no frame.
func TestOutputAloneDrawsNothing(t *testing.T) {
	s := testScreen(Actions{})
	before := s.content
	s.src.model.Live([]byte("a line that nobody has drawn yet\n"))
	if s.View().Content != before {
		t.Error("drawn without a beat")
	}
	s.Update(tickMsg{})
	if !strings.Contains(s.View().Content, "nobody has drawn") {
		t.Error("not drawn on the beat")
	}
}

// An ending is the end only where there are no more events.
func TestAnEndingIsNotTheEnd(t *testing.T) {
	src := newSource(0, make(chan struct{}))
	viewtest.GaveUp().Play(src.model.Apply, nil)
	if src.isFinished() {
		t.Error("finished: a resumption that is in the journal would be missed")
	}
	src.readEvents(func(func(mulligan.Event, error) bool) {})
	if !src.isFinished() {
		t.Error("never finished")
	}
}
