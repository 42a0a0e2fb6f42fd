package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"mulligan"
)

// waitingScreen shows a session that begins to wait now.
func waitingScreen(wait time.Duration, actions Actions) *screen {
	src := newSource(0, make(chan struct{}))
	for i, b := range []mulligan.Body{
		mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "implement"}}}},
		mulligan.StepStarted{Step: "implement"},
		mulligan.AttemptStarted{Step: "implement", Attempt: 1, Iteration: 1},
		mulligan.TurnStarted{Turn: 1, Agent: "local"},
		mulligan.Waited{For: wait, Until: time.Now().Add(wait), Free: true, Reason: "the agent is rate limited"},
	} {
		src.model.Apply(mulligan.Event{Session: "s", Number: int64(i + 1), Time: time.Now(), Body: b})
	}
	s := newScreen(src, actions, Options{})
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.Update(tickMsg{})
	<-src.news // that of the size
	return s
}

// beatOf waits for the screen's next beat, and returns how long that took.
func beatOf(s *screen) time.Duration {
	began := time.Now()
	s.Update(s.scheduleTick()())
	return time.Since(began)
}

// changed are the lines in which two screens differ.
func changed(a, b string) (lines []string) {
	was, is := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range is {
		if was[i] != is[i] {
			lines = append(lines, is[i])
		}
	}
	return lines
}

// A3: the screen counts down, once a second, and nothing else on it moves.
func TestTheScreenCountsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := waitingScreen(10*time.Minute+500*time.Millisecond, Actions{})
		for _, want := range []string{"10:00", "9:59", "9:58"} {
			before := s.content
			if took := beatOf(s); took > time.Second+beat {
				t.Errorf("%s is shown after %s", want, took)
			}
			if got := changed(before, s.content); len(got) != 1 || !strings.HasPrefix(got[0], " ○ waiting "+want+"  until 00:10  the agent is rate limited") {
				t.Errorf("what changes is %q, want the count at %s alone", got, want)
			}
		}
	})
}

// What happens in a long wait is seen at once: an event, a key, an answer to it.
func TestACalmScreenIsAwake(t *testing.T) {
	for name, happens := range map[string]func(s *screen){
		"event": func(s *screen) {
			s.src.readEvents(func(yield func(mulligan.Event, error) bool) {
				yield(mulligan.Event{Number: 9, Time: time.Now(), Body: mulligan.Noted{Text: "the thing"}}, nil)
			})
		},
		"output": func(s *screen) {
			live := make(chan []byte, 1)
			live <- []byte("the thing\n")
			close(live)
			s.src.readLive(live)
		},
		"failed stop": func(s *screen) { s.Update(stoppedMsg{mulligan.ErrNoSession}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := waitingScreen(8*time.Hour+30*time.Second, Actions{})
				cmd, began := s.scheduleTick(), time.Now()
				got := make(chan tea.Msg)
				go func() { got <- cmd() }()
				time.Sleep(10 * time.Second)
				happens(s)
				s.Update(<-got)
				if took := time.Since(began); took > 10*time.Second+beat {
					t.Errorf("it is drawn %s later", took-10*time.Second)
				}
				if !strings.Contains(s.content, "the thing") && !strings.Contains(s.content, "cannot stop") {
					t.Errorf("it is not seen on\n%s", s.content)
				}
			})
		})
	}
}

// A session that is asked to stop is no longer calm: what spins, spins.
func TestStoppingAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := waitingScreen(8*time.Hour, Actions{Stop: func(bool) error { return nil }})
		s.Update(press(s, ctrlC))
		for range 3 {
			if took := beatOf(s); took > beat {
				t.Errorf("a beat took %s", took)
			}
		}
	})
}

// A screen that is left while it is calm leaves nothing behind.
func TestLeavingACalmScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := waitingScreen(8*time.Hour, Actions{})
		done := make(chan struct{})
		s.src.done = done
		cmd, began := s.scheduleTick(), time.Now()
		close(done)
		if cmd(); time.Since(began) > beat {
			t.Errorf("it went on for %s", time.Since(began))
		}
	})
}
