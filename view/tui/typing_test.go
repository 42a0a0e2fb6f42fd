package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mulligan"
	"mulligan/view"
	"mulligan/view/viewtest"
)

// typeText presses the keys of a text.
func typeText(s *screen, text string) {
	for _, r := range text {
		press(s, tea.Key{Code: r, Text: string(r)})
	}
}

func TestAMessageIsTypedInPlace(t *testing.T) {
	var told []string
	s := testScreen(Actions{Tell: func(text string) error { told = append(told, text); return nil }})
	typeText(s, "mquit? no: mind the gap ")
	if s.detached || !strings.Contains(s.content, "> quit? no: mind the gap") {
		t.Fatalf("the screen shows\n%s", s.content)
	}
	s.Update(press(s, enter))
	s.Update(tickMsg{})
	if fmt.Sprint(told) != "[quit? no: mind the gap]" || !strings.Contains(s.content, "sent: the agent gets it") {
		t.Errorf("the agent was told %q, and the screen shows\n%s", told, s.content)
	}
	typeText(s, "mnever mind")
	press(s, esc)
	press(s, enter)
	if len(told) != 1 {
		t.Errorf("the agent was told %q", told)
	}
}

func TestAMessageThatDoesNotArriveComesBack(t *testing.T) {
	s := testScreen(Actions{Tell: func(string) error { return errors.New("nobody is there") }})
	typeText(s, "mhello")
	s.Update(press(s, enter))
	s.Update(tickMsg{})
	if !strings.Contains(s.content, "was not sent: nobody is there") || !strings.Contains(s.content, "> hello") {
		t.Errorf("the screen shows\n%s", s.content)
	}
}

func TestNoMessageWhereNoneCanBeSent(t *testing.T) {
	s := testScreen(Actions{})
	typeText(s, "m")
	if s.look.Typing.For != TypingNothing {
		t.Errorf("a line is typed for %q", s.look.Typing.For)
	}
}

// What is pasted is for the line that is typed.
func TestPastedText(t *testing.T) {
	s := testScreen(Actions{Tell: func(string) error { return nil }})
	typeText(s, "m")
	s.Update(tea.PasteMsg{Content: "two\nlines\x1b[31m"})
	if got := s.look.Typing.Text; got != "two lines" {
		t.Errorf("the line is %q", got)
	}
}

func TestSearch(t *testing.T) {
	s := testScreen(Actions{})
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %d\n", i)
		if i == 20 || i == 50 {
			fmt.Fprintf(&b, "the Needle at %d\n", i)
		}
	}
	s.src.model.Live([]byte(b.String()))
	s.Update(tickMsg{})
	typeText(s, "/needle")
	if strings.Contains(s.content, "Needle") {
		t.Fatalf("found before enter:\n%s", s.content)
	}
	press(s, enter)
	if !strings.Contains(s.content, "the Needle at 50") || !strings.Contains(s.content, "2 of 2 found") {
		t.Errorf("after enter\n%s", s.content)
	}
	typeText(s, "n")
	if !strings.Contains(s.content, "the Needle at 20") || !strings.Contains(s.content, "1 of 2 found") {
		t.Errorf("after n\n%s", s.content)
	}
	typeText(s, "N")
	if !strings.Contains(s.content, "the Needle at 50") {
		t.Errorf("after N\n%s", s.content)
	}
	press(s, esc)
	if s.look.Search != "" || s.look.Scroll != 0 {
		t.Errorf("after esc %q is searched for, %d lines back", s.look.Search, s.look.Scroll)
	}
}

// What was printed under the last heading is never folded.
func TestFold(t *testing.T) {
	s := testScreen(Actions{})
	s.src.model.Live([]byte("the last words\n"))
	s.Update(tickMsg{})
	typeText(s, "z")
	if strings.Contains(s.content, "writing calc.go") || !strings.Contains(s.content, "4 lines") || !strings.Contains(s.content, "the last words") {
		t.Errorf("folded:\n%s", s.content)
	}
	typeText(s, "z")
	if !strings.Contains(s.content, "writing calc.go") {
		t.Errorf("unfolded:\n%s", s.content)
	}
}

// Each change is looked at once, the newest of those that have come.
func TestChangesGrow(t *testing.T) {
	done := make(chan struct{})
	src := newSource(0, done)
	looked := make(chan view.Change)
	go src.readTouched(func(c view.Change) *mulligan.Touched {
		looked <- c
		return &mulligan.Touched{Files: len(c.To.ID), Added: 5}
	})
	src.readEvents(func(yield func(mulligan.Event, error) bool) {
		for i, body := range []mulligan.Body{
			mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "make"}}}, Place: mulligan.Place{Dir: "/calc"}},
			mulligan.StepStarted{Step: "make"},
			mulligan.AttemptStarted{Step: "make", Attempt: 1, Iteration: 1, Snapshot: mulligan.Tree{ID: "a"}},
			mulligan.TurnStarted{Turn: 1},
			mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}, Tree: mulligan.Tree{ID: "bb"}},
		} {
			yield(mulligan.Event{Number: int64(i + 1), Body: body}, nil)
		}
	})
	var last view.Change
	for last.To.ID != "bb" {
		last = <-looked
	}
	if last.From.ID != "a" || last.Place.Dir != "/calc" {
		t.Errorf("looked at %+v", last)
	}
	for src.snapshot().Touched == nil || src.snapshot().Touched.Files != 2 {
		select {
		case c := <-looked:
			t.Fatalf("looked again, at %+v", c)
		default:
		}
	}
	close(done)
}

func TestAnItemIsDecidedAboutInPlace(t *testing.T) {
	for typed, want := range map[string]string{"1": "true", "2": "false", "3": "", "": ""} {
		t.Run(typed, func(t *testing.T) {
			var said []string
			s := testScreen(Actions{Decide: func(item string, approve bool) error {
				said = append(said, item, fmt.Sprint(approve))
				return nil
			}})
			s.src.model = view.NewModel()
			viewtest.GuardWaiting().Play(s.src.model.Apply, s.src.model.Live)
			s.Update(tickMsg{})
			name := s.snap.Guard.Waiting()[0].Name
			typeText(s, "a")
			if !strings.Contains(s.content, "approve  its next claim passes") {
				t.Errorf("the screen shows\n%s", s.content)
			}
			typeText(s, typed)
			if msg := press(s, enter); msg != nil {
				s.Update(msg)
			}
			if want == "" && said != nil || want != "" && fmt.Sprint(said) != fmt.Sprint([]string{name, want}) {
				t.Errorf("%q said %q of %q", typed, said, name)
			}
		})
	}
}
