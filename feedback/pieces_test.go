package feedback

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mulligan"
)

func somePieces() []mulligan.Piece {
	return []mulligan.Piece{
		{Event: 3, Moment: mulligan.SessionStart, Name: "go build ./...", Text: "built\n"},
		{Event: 9, Moment: mulligan.PostIteration, Name: "tests", Iteration: 1, Text: "[hook failed: exit status 1]\n---\nFAIL\n-----\n"},
		{Event: 11, Moment: mulligan.OnTaskComplete, Name: "tell", Task: 4, Text: "task 4 is done"},
		{Event: 12, Text: "Use tabs,\n---\nplease."},
	}
}

// H4, H5: in the order in which it came, each with where it came from.
func TestPiped(t *testing.T) {
	golden(t, "piped", Prompter{}.Piped(somePieces()))
	if got := (Prompter{}).Piped(nil); got != "" {
		t.Errorf("nothing came in, yet %q", got)
	}
}

func TestPromptsOfPieces(t *testing.T) {
	p, st := Prompter{}, loopState()
	golden(t, "now", p.Now(somePieces()[1:2]))
	failure := mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 1"}
	golden(t, "recovery", p.Recovery(failure, []mulligan.Piece{{Moment: mulligan.OnError, Name: "df", Iteration: 2, Text: "disk full"}}))
	golden(t, "delivery-verified", p.Delivery(st, mulligan.Outcome{Ended: mulligan.Verified}, somePieces()[:1]))
	golden(t, "delivery-limit", p.Delivery(st, mulligan.Outcome{Ended: mulligan.LimitReached, Reason: "the limit of 20 iterations is reached"}, somePieces()[3:]))
}

// H6: the prompt has how the session ended, whichever way it did.
func TestDeliverySaysHowItEnded(t *testing.T) {
	const back = "is taken back"
	for ended, want := range map[mulligan.Ended]string{
		mulligan.Verified:     "verified it",
		mulligan.Accepted:     "was accepted (why)",
		mulligan.GaveUp:       "it failed (why)",
		mulligan.LimitReached: "a limit was reached (why)",
		mulligan.Interrupted:  "it was interrupted (why)",
		mulligan.Waiting:      "it waits for a person (why)",
		mulligan.GateBroken:   "a check could not be run (why)",
	} {
		o := mulligan.Outcome{Ended: ended, Reason: "why."}
		got := Prompter{}.Delivery(loopState(), o, somePieces())
		if !strings.Contains(got, "The session is over: ") || !strings.Contains(got, want) || strings.Contains(got, back) != o.Good() {
			t.Errorf("%s: got\n%s", ended, got)
		}
	}
	st := loopState()
	st.Plan.Steps[0].Checks = nil
	if got := (Prompter{}).Delivery(st, mulligan.Outcome{Ended: mulligan.Accepted}, somePieces()); strings.Contains(got, "checks run") {
		t.Errorf("nothing checks it, yet\n%s", got)
	}
}

func TestPipedIsBounded(t *testing.T) {
	var pieces []mulligan.Piece
	for i := range 40 {
		pieces = append(pieces, mulligan.Piece{Event: int64(i), Moment: mulligan.PostIteration, Name: "tests", Iteration: i + 1, Text: strings.Repeat("é", 8000)})
	}
	pieces[2] = mulligan.Piece{Text: "an early word"}
	got := Prompter{}.Piped(pieces)
	if n := utf8.RuneCountInString(got); n > maxPiped+200 || n < maxPiped/2 {
		t.Errorf("%d characters", n)
	}
	if !strings.HasPrefix(got, "(32 texts were left out here") || !strings.Contains(got, "`mulligan log` has all of it") {
		t.Errorf("what was cut is not said: %.200q", got)
	}
	if !strings.Contains(got, "an early word") || !strings.Contains(got, "iteration 40:") || strings.Contains(got, "iteration 20:") {
		t.Error("the newest, and what people said, is not what is left")
	}
	got = Prompter{}.Piped([]mulligan.Piece{{Text: strings.Repeat("x", 1<<20)}})
	if n := len(got); n > maxPiped || !strings.Contains(got, "(cut here; `mulligan log` has all of it)") {
		t.Errorf("%d characters of one message", n)
	}
}

func TestFence(t *testing.T) {
	for in, bar := range map[string]string{
		"":                 "---",
		"text":             "---",
		"--":               "---",
		"---":              "----",
		"a\n  -----  \nb":  "------",
		"------\n---":      "-------",
		"--- a/x\n+++ b/x": "---",
		"a\r\n---\r\nb":    "----",
	} {
		if got, want := fence(in), fmt.Sprintf("%s\n%s\n%s", bar, in, bar); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

// P1: what people answered, and what was assumed, comes with the step's prompt.
func TestStepPromptAnswers(t *testing.T) {
	st := busyState()
	st.Plan.Loop = nil
	golden(t, "step-answers", Prompter{}.StepPrompt(st))
	st.Questions = st.Questions[2:] // one is open, one was not the agent's
	if got := (Prompter{}).StepPrompt(st); got != strings.TrimSpace(st.Plan.Task.Text) {
		t.Errorf("nothing was answered, yet %q", got)
	}
}

// TestPieceGivenAgain (W5): a piece that a failed turn has carried says so; an answer has its question.
func TestPieceGivenAgain(t *testing.T) {
	for _, c := range []struct {
		piece mulligan.Piece
		want  string
	}{
		{mulligan.Piece{Text: "Hi."}, "Message from the person:\n---\nHi.\n---"},
		{mulligan.Piece{Text: "Hi.", Given: true}, "Message from the person (given before, in a turn that did not come to its end):\n---\nHi.\n---"},
		{
			mulligan.Piece{Moment: mulligan.SessionStart, Name: "build", Text: "no", Given: true},
			"Output of the session_start hook \"build\" (given before, in a turn that did not come to its end):\n---\nno\n---",
		},
		{
			mulligan.Piece{Question: 2, Asked: "Which\n---\nport?", Text: "80"},
			"You asked (question 2):\n----\nWhich\n---\nport?\n----\nThe person's answer:\n---\n80\n---",
		},
	} {
		if got := (Prompter{}).Piped([]mulligan.Piece{c.piece}); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
