package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/test/modeltest"
)

// beside runs the program while the test goes on. What it came to is waited for.
func (s *stage) beside(args ...string) (wait func() ran) {
	s.t.Helper()
	done := make(chan ran, 1)
	go func() {
		defer close(done)
		done <- s.mulligan(args...)
	}()
	ended := func() ran {
		s.t.Helper()
		r, ok := <-done
		if !ok {
			s.t.Fatal("it did not run")
		}
		return r
	}
	s.t.Cleanup(func() {
		for range done {
		}
	})
	return ended
}

// answer waits for a question and answers it.
func (s *stage) answer(number, answer string) {
	s.t.Helper()
	var r ran
	for began := time.Now(); time.Since(began) < outer; time.Sleep(200 * time.Millisecond) {
		if r = s.mulligan("answer", number, answer); r.exit == 0 {
			return
		}
	}
	s.t.Fatalf("question %s was never asked: %s", number, r.stderr)
}

// TestAskPerson: with permissions: ask Claude Code asks a person before it acts. What the agent
// asked by itself in the same words does not count, however it was answered.
func TestAskPerson(t *testing.T) {
	t.Parallel()
	s := onStage(t, setup{permissions: "ask", config: oneStep})
	const first, second = "echo wrong > answer; echo first-is-made", "echo right > answer; echo second-is-made"
	question := "May the agent do this? Bash: " + first + "\ndescription: \"do it\""
	s.play(
		modeltest.Use(modeltest.Call{Name: "mcp__mulligan__ask", Input: map[string]any{"question": question, "options": []string{"allow", "deny"}}}).At("Make the answer"),
		s.runs(first), modeltest.Say("It cannot be done.").At("a person said no"),
		s.runs(second).At("the-answer-is-not-right"), modeltest.Say("Done.").At("second-is-made"))
	wait := s.beside("run", "--foreground", "--json", "--ask", "task.md")
	s.answer("1", "allow")
	s.answer("2", "deny")
	s.answer("3", "allow")
	r := wait().exits(0)
	s.played()
	asked, ended := all[mulligan.Asked](r), all[mulligan.TurnEnded](r)
	if len(asked) != 3 || asked[0].Question.Text != asked[1].Question.Text || asked[1].Question.Default != "deny" || !strings.Contains(asked[2].Question.Text, second) {
		t.Errorf("asked %+v", asked)
	}
	if len(ended) != 2 || !slices.Equal(ended[0].Result.Denied, []string{"Bash"}) || len(ended[1].Result.Denied) > 0 {
		t.Errorf("turns %+v", ended)
	}
	if feedback := all[mulligan.TurnStarted](r)[1].Prompt; !strings.Contains(feedback, "denied") {
		t.Errorf("the feedback does not say what was denied:\n%s", feedback)
	}
}

// TestAskNobody: nobody's absence stops the session. What nobody allows is denied, and said.
func TestAskNobody(t *testing.T) {
	t.Parallel()
	s := onStage(t, setup{permissions: "ask", config: strings.Replace(oneStep, "retry: 2", "retry: 0", 1)})
	s.play(s.runs("echo right > answer").At("Make the answer"), modeltest.Say("It cannot be done.").At("nobody was there to allow it"))
	r := s.run(3)
	s.played()
	answers, ended := all[mulligan.Answered](r), all[mulligan.TurnEnded](r)
	if len(answers) != 1 || answers[0].By != mulligan.ByDefault || answers[0].Text != "deny" {
		t.Errorf("answered %+v", answers)
	}
	if len(ended) != 1 || !slices.Equal(ended[0].Result.Denied, []string{"Bash"}) || s.file("answer") != "" {
		t.Errorf("turns %+v, made %q", ended, s.file("answer"))
	}
}
