package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mulligan"
	"mulligan/view"
	"mulligan/view/viewtest"
)

// asking is a screen that shows the question of a loop, and what was answered on it.
func asking(fault error) (*screen, *[]string) {
	given := &[]string{}
	src := &source{model: view.NewModel()}
	viewtest.LoopAsking().Play(src.model.Apply, src.model.Live)
	s := newScreen(src, Actions{
		Answer: func(id int, text string) error {
			if id != 2 {
				text = "to another question: " + text
			}
			*given = append(*given, text)
			return fault
		},
		Pause: func() error { *given = append(*given, "pause"); return fault },
		Stop:  func(bool) error { return nil },
	}, Options{})
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.Update(tickMsg{})
	return s, given
}

func types(s *screen, text string) {
	for _, r := range text {
		key := tea.Key{Code: r, Text: string(r)}
		if r == ' ' {
			key.Code = tea.KeySpace
		}
		press(s, key)
	}
}

var (
	enter = tea.Key{Code: tea.KeyEnter}
	esc   = tea.Key{Code: tea.KeyEscape}
)

func TestAnswering(t *testing.T) {
	for typed, want := range map[string]string{
		"2": "zero", "an error": "an error", "dq ?p": "dq ?p", " q": "q", "4": "4", "  a panic ": "a panic",
	} {
		s, given := asking(nil)
		types(s, typed)
		if !strings.Contains(s.content, "> "+typed) {
			t.Errorf("%q is not shown while it is typed:\n%s", typed, s.content)
		}
		s.Update(press(s, enter))
		s.Update(tickMsg{})
		if len(*given) != 1 || (*given)[0] != want {
			t.Errorf("%q was sent as %q, want %q", typed, *given, want)
		}
		if s.detached || strings.Contains(s.content, "question 2  from the agent") || strings.Contains(s.content, "enter sends it") {
			t.Errorf("after the answer the question is still asked:\n%s", s.content)
		}
	}
}

// At the limit of hook retries a person chooses by number or by word.
func TestAnsweringAtTheHookLimit(t *testing.T) {
	for typed, want := range map[string]string{"1": "continue", "2": "abort", "3": "ignore", "ignore": "ignore"} {
		var given []string
		src := &source{model: view.NewModel()}
		viewtest.StopAsking().Play(src.model.Apply, src.model.Live)
		s := newScreen(src, Actions{Answer: func(id int, text string) error {
			given = append(given, fmt.Sprint(id, " ", text))
			return nil
		}}, Options{})
		s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		s.Update(tickMsg{})
		types(s, typed)
		s.Update(press(s, enter))
		if len(given) != 1 || given[0] != "1 "+want {
			t.Errorf("%q was sent as %q, want %q", typed, given, want)
		}
	}
}

func TestAnEmptyAnswerIsNotSent(t *testing.T) {
	s, given := asking(nil)
	types(s, "  ")
	if press(s, enter); len(*given) > 0 || !strings.Contains(s.content, "╭─ question 2") {
		t.Errorf("sent %q", *given)
	}
}

func TestAnAnswerThatFailsCanBeSentAgain(t *testing.T) {
	s, _ := asking(errors.New("question 2 is answered\x1b[2J already"))
	types(s, "3")
	s.Update(press(s, enter))
	s.Update(tickMsg{})
	if !strings.Contains(s.content, "question 2 is not answered: question 2 is answered already") || !strings.Contains(s.content, "> 3") {
		t.Errorf("the screen shows\n%s", s.content)
	}
}

// What is typed belongs to the question that was shown then, however late the news of the others comes.
func TestAnswersOfTwoQuestions(t *testing.T) {
	s, given := asking(nil)
	next := func(id int) {
		s.src.model.Apply(mulligan.Event{Time: viewtest.Begun, Body: mulligan.Asked{Question: mulligan.Question{ID: id, Text: "And now?"}}})
		s.Update(tickMsg{})
	}
	next(3)
	types(s, "an error")
	first := s.handleKey(tea.KeyPressMsg(enter))
	types(s, "later")
	if !strings.Contains(s.content, "╭─ question 3") || !strings.Contains(s.content, "> later") {
		t.Errorf("the second question is shown as\n%s", s.content)
	}
	s.Update(first()) // the first answer arrives only now
	second := s.handleKey(tea.KeyPressMsg(enter))
	if s.draw(); strings.Contains(s.content, "╭─ question") {
		t.Errorf("the first question is asked again:\n%s", s.content)
	}
	s.Update(second())
	if want := []string{"an error", "to another question: later"}; !slices.Equal(*given, want) {
		t.Errorf("sent %q, want %q", *given, want)
	}
}

// The question may be settled, and another be asked, while its answer is typed.
func TestAnAnswerToAQuestionThatIsGone(t *testing.T) {
	s, given := asking(nil)
	types(s, "zero")
	for _, body := range []mulligan.Body{
		mulligan.Answered{ID: 2, Text: "an error", By: mulligan.ByDefault},
		mulligan.Asked{Question: mulligan.Question{ID: 3, Text: "And now?"}},
	} {
		s.src.model.Apply(mulligan.Event{Time: viewtest.Begun, Body: body})
	}
	s.Update(tickMsg{})
	if press(s, enter); len(*given) > 0 || strings.Contains(s.content, "> zero") {
		t.Errorf("sent %q, and the screen shows\n%s", *given, s.content)
	}
}

func TestEditingAnAnswer(t *testing.T) {
	s, given := asking(nil)
	types(s, "one two")
	press(s, tea.Key{Code: 'w', Mod: tea.ModCtrl})
	types(s, "三")
	press(s, tea.Key{Code: tea.KeyBackspace})
	s.Update(tea.PasteMsg{Content: "four\x1b[2J\nfive"})
	if s.Update(press(s, enter)); (*given)[0] != "one four five" {
		t.Errorf("sent %q", *given)
	}
	s, given = asking(nil)
	types(s, "nonsense")
	press(s, tea.Key{Code: 'u', Mod: tea.ModCtrl})
	if press(s, enter); len(*given) > 0 {
		t.Errorf("sent %q after it was all taken back", *given)
	}
}

// A question takes the keys, but for those that everybody knows.
func TestKeysWhileAQuestionIsShown(t *testing.T) {
	s, _ := asking(nil)
	if _, quit := press(s, tea.Key{Code: 'q', Text: "q"}).(tea.QuitMsg); !quit || !s.detached {
		t.Error("q does not leave")
	}
	s, _ = asking(nil)
	types(s, "half an answ")
	s.Update(press(s, ctrlC))
	if s.look.Stops != 1 {
		t.Error("ctrl-c does not stop")
	}
	s, _ = asking(nil)
	if types(s, "?"); !s.look.Help {
		t.Error("? does not help")
	}
}

func TestHidingAQuestion(t *testing.T) {
	s, given := asking(nil)
	types(s, "never m")
	press(s, esc)
	if strings.Contains(s.content, "╭─ question 2") || !strings.Contains(s.content, "question 2 waits for an answer: enter shows it") {
		t.Errorf("after esc the screen shows\n%s", s.content)
	}
	s.Update(press(s, tea.Key{Code: 'p', Text: "p"}))
	s.draw()
	if len(*given) != 1 || (*given)[0] != "pause" || !strings.Contains(s.content, "pausing when the running turn's checks") {
		t.Errorf("p did %q and shows\n%s", *given, s.content)
	}
	press(s, enter)
	if !strings.Contains(s.content, "╭─ question 2") || strings.Contains(s.content, "never m") {
		t.Errorf("enter does not bring it back, or what was typed stays:\n%s", s.content)
	}
	// Another question is not hidden.
	press(s, esc)
	s.src.model.Apply(mulligan.Event{Time: viewtest.Begun, Body: mulligan.Asked{Question: mulligan.Question{ID: 3, Text: "And now?"}}})
	s.Update(tickMsg{})
	if !strings.Contains(s.content, "And now?") {
		t.Errorf("the next question is not shown:\n%s", s.content)
	}
}

func TestAQuestionThatCannotBeAnsweredHere(t *testing.T) {
	s, _ := asking(nil)
	s.look.Asking.Can, s.actions.Answer = false, nil
	s.draw()
	if !strings.Contains(s.content, "mulligan answer 2 …") {
		t.Errorf("it does not say how to answer:\n%s", s.content)
	}
	if _, quit := press(s, tea.Key{Code: 'd', Text: "d"}).(tea.QuitMsg); !quit {
		t.Error("d does not leave")
	}
}

func TestAPauseThatFailsIsSaid(t *testing.T) {
	s := testScreen(Actions{Pause: func() error { return errors.New("it is over") }})
	s.Update(press(s, tea.Key{Code: 'p', Text: "p"}))
	s.Update(tickMsg{})
	if !strings.Contains(s.content, "cannot pause the session: it is over") {
		t.Errorf("the screen shows\n%s", s.content)
	}
}

// An edit that an agent asks for is a diff in colours; what there is no room for can be scrolled to.
func TestALongQuestionIsScrolled(t *testing.T) {
	s := testScreen(Actions{Answer: func(int, string) error { return nil }})
	diff := "The agent wants to edit calc.go:\n@@ -1,2 +1,40 @@\n-old\n"
	for i := range 40 {
		diff += fmt.Sprintf("+new %d\n", i)
	}
	s.src.model.Apply(mulligan.Event{Number: 1000, Body: mulligan.Asked{Question: mulligan.Question{
		ID: 1, Text: diff + "the end", Scope: "Edit", Asker: mulligan.AskerAgent, Options: []string{"yes", "no", mulligan.AnswerAlways},
	}}})
	s.look.Color = true
	s.Update(tickMsg{})
	for _, want := range []string{"\x1b[31m-old", "\x1b[32m+new 0", "\x1b[2m@@", "more lines, ↓ shows them", "type a number"} {
		if !strings.Contains(s.content, want) {
			t.Errorf("%q is not in\n%s", want, s.content)
		}
	}
	for range 100 {
		press(s, tea.Key{Code: tea.KeyDown})
	}
	if !strings.Contains(s.content, "the end") || !strings.Contains(s.content, "type a number") || strings.Contains(s.content, "-old") {
		t.Errorf("scrolled down:\n%s", s.content)
	}
	for range 100 {
		press(s, tea.Key{Code: tea.KeyUp})
	}
	if !strings.Contains(s.content, "-old") {
		t.Errorf("scrolled up:\n%s", s.content)
	}
}
