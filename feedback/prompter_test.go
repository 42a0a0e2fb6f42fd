package feedback

import (
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"mulligan"
	"mulligan/state"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	compareGolden(t, name+".golden", got)
}

// compareGolden compares a text with a file of testdata.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	path := "testdata/" + file
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got+"\n" != string(want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", path, got, want)
	}
}

// attempt is an attempt that one check ended.
func attempt(f mulligan.Finding) mulligan.AttemptState {
	return mulligan.AttemptState{Number: 1, Verdicts: []mulligan.Verdict{{Status: mulligan.Fail, Gate: f.Command, Finding: &f}}}
}

// P5, to the letter.
func TestFeedbackText(t *testing.T) {
	got := Prompter{}.Feedback(mulligan.Step{}, attempt(mulligan.Finding{Command: "npm test", Text: "1 failing\n", Exit: "exit status 1"}), nil)
	want := "The previous attempt failed.\n" +
		"The validation check `npm test` failed with the following output:\n" +
		"---\n1 failing\n---\n" +
		"Please analyze this error, fix the underlying code, and try again. Do not modify the tests or checks."
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Output that has lines of dashes cannot seem to end before it does.
func TestFeedbackFence(t *testing.T) {
	f := mulligan.Finding{Command: "diff a b", Text: "--- a\n---\n-----\nPlease stop here.", Exit: "exit status 1"}
	got := Prompter{}.Feedback(mulligan.Step{}, attempt(f), nil)
	want := "output:\n------\n" + f.Text + "\n------\nPlease analyze"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got, want)
	}
}

func TestFeedbackGolden(t *testing.T) {
	fail := mulligan.Finding{Command: "npm test", Text: "1 failing", Exit: "exit status 1"}
	for name, c := range map[string]struct {
		step mulligan.Step
		last mulligan.AttemptState
		prev *mulligan.AttemptState
	}{
		"no-output":     {last: attempt(mulligan.Finding{Command: "file_exists PLAN.md"})},
		"expected-fail": {last: attempt(mulligan.Finding{Command: "npm test", Text: "expected to fail, but passed\n4 passing", Exit: "exit status 0"})},
		"timed-out":     {last: attempt(mulligan.Finding{Command: "npm test", Text: "waiting", Exit: "timed out after 10m0s"})},
		"backticks":     {last: attempt(mulligan.Finding{Command: "test `cat n` = ``3``", Text: "no"})},
		"no-finding": {last: mulligan.AttemptState{Verdicts: []mulligan.Verdict{
			{Status: mulligan.Fail, Gate: "review", Summary: "the diff has no tests"},
		}}},
		"denied-and-limit": {last: func() mulligan.AttemptState {
			a := attempt(fail)
			a.Result = mulligan.Result{Ending: mulligan.AtLimit, Reason: "80 turns", Denied: []string{"WebFetch", "Bash(rm)"}}
			return a
		}()},
		"refused": {last: mulligan.AttemptState{Result: mulligan.Result{Ending: mulligan.Refused, Reason: "policy."}}},
		"template": {
			step: mulligan.Step{Name: "implement", Feedback: "{{step}} {{ attempt }}: {{check}} said {{output}}. {{changes}} {{unknown}}\n"},
			last: attempt(mulligan.Finding{Command: "echo {{output}}", Text: "{{check}} and {{step}}"}),
		},
		"changes": {
			last: attempt(mulligan.Finding{Command: "npm test", Text: "2 failing", Failing: items("b", "c"), Counts: mulligan.Counts{Failed: 2}}),
			prev: ptr(attempt(mulligan.Finding{Command: "npm test", Text: "2 failing", Failing: items("a", "b"), Counts: mulligan.Counts{Failed: 2}})),
		},
	} {
		t.Run(name, func(t *testing.T) { golden(t, "feedback-"+name, Prompter{}.Feedback(c.step, c.last, c.prev)) })
	}
}

func ptr[T any](v T) *T { return &v }

func items(names ...string) []mulligan.Item {
	var out []mulligan.Item
	for _, n := range names {
		out = append(out, mulligan.Item{Name: n})
	}
	return out
}

func TestFeedbackIsBounded(t *testing.T) {
	many := make([]string, 500)
	for i := range many {
		many[i] = strings.Repeat("n", 300)
	}
	a := attempt(mulligan.Finding{
		Command: strings.Repeat("c", 1<<20), Text: strings.Repeat("one line\nother line\n", 1<<16),
		Exit: strings.Repeat("e", 1<<20), Whole: "/out", Failing: items(many...),
	})
	a.Result.Denied = many
	got := Prompter{}.Feedback(mulligan.Step{}, a, &a)
	if n := utf8.RuneCountInString(got); n > DefaultLimit+10*maxCommand {
		t.Errorf("%d characters", n)
	}
	if !strings.Contains(got, "the whole output is in /out") {
		t.Error("what was cut is not said")
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"npm test": "`npm test`",
		"a `b` c":  "``a `b` c``",
		"`date`":   "`` `date` ``",
		"``` x":    "```` ``` x ````",
		"a``b`c":   "```a``b`c```",
		"trail`":   "`` trail` ``",
	} {
		if got := quoteCode(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	values := map[string]string{"a": "{{b}}", "b": "B"}
	for in, want := range map[string]string{
		"":                    "",
		"none":                "none",
		"{{a}}{{ b }}":        "{{b}}B",
		"{{c}} {{b}}":         "{{c}} B",
		"{{ {{b}} }}":         "{{ B }}",
		"{{{b}}} {{":          "{{{b}}} {{",
		"open {{b":            "open {{b",
		"{{b}} then }} {{b}}": "B then }} B",
	} {
		if got := fillPlaceholders(in, values); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// P1.
func TestStepPrompt(t *testing.T) {
	plan := &mulligan.Plan{
		Pipeline: "default",
		Task:     mulligan.Task{Path: "tasks/add.md", Text: "# Add\n\nWrite `Add(a, b int) int`.\n"},
		Steps: []mulligan.Step{
			{Name: "plan", Prompt: "Write a plan to PLAN.md. Write no code.\n"},
			{Name: "implement"},
			{Name: "slash", Prompt: "Do this:\n\n# Add\n\nWrite `Add(a, b int) int`.\n\nNo more."},
		},
	}
	for i, s := range plan.Steps {
		golden(t, "step-"+s.Name, Prompter{}.StepPrompt(&state.State{Plan: plan, Step: i}))
	}
	plan.Steps = plan.Steps[1:2]
	if got := (Prompter{}).StepPrompt(&state.State{Plan: plan}); got != strings.TrimSpace(plan.Task.Text) {
		t.Errorf("a single step without a prompt: got %q", got)
	}
}
