package feedback

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// A said is one block: the hooks that blocked, and their words.
type said struct {
	reason, feedback string
	blocks, allows   []string
}

func (s said) reply() mulligan.AgentHookReply {
	r := mulligan.AgentHookReply{Decision: mulligan.Block, Reason: s.reason, Feedback: s.feedback}
	for _, name := range s.blocks {
		r.Runs = append(r.Runs, mulligan.AgentHookRun{Name: name, Decision: mulligan.Block})
	}
	for _, name := range s.allows {
		r.Runs = append(r.Runs, mulligan.AgentHookRun{Name: name, Decision: mulligan.Allow})
	}
	return r
}

func goTests(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "--- FAIL: %s (0.00s)\n    x_test.go:9: bad\n", name)
	}
	return b.String() + "FAIL\n"
}

// TestSinceBlocked (F4): what changed since Stop hooks last sent the agent back.
func TestSinceBlocked(t *testing.T) {
	tests := "tests.sh"
	one := []string{tests}
	long := strings.Repeat("ü", 500)
	for name, test := range map[string]struct {
		before, now said
		same        int
		want        string
	}{
		"same": {
			said{"no", "no", one, nil},
			said{"no", "no, after 3 s", one, nil},
			3,
			"no change; it blocks for the same reason, 3 times in a row now.",
		},
		"other": {
			said{"lint\n  fails", "lint fails", one, nil},
			said{"tests fail", "tests fail", one, nil},
			1,
			"another reason; the one before was: lint fails",
		},
		"long": {
			said{long, long, one, nil},
			said{"no", "no", one, nil},
			1,
			"another reason; the one before was: " + text.Clip(long, maxListedName),
		},
		"items": {
			said{"fail", goTests("TestA", "TestB"), one, nil},
			said{"fail", goTests("TestB", "TestC"), one, nil},
			2,
			"fixed: TestA; still failing: TestB; new: TestC.",
		},
		"cut": { // what is not in the text may fail all the same
			said{"fail", goTests("TestA", "TestB"), one, nil},
			said{"fail", goTests("TestB") + cutNote(7, 100, "whole.log"), one, nil},
			2,
			"no change; it blocks for the same reason, 2 times in a row now.",
		},
		"hooks": {
			said{"a", "a", []string{tests, "lint.sh"}, nil},
			said{"b", "b", []string{"lint.sh", "new.sh"}, one},
			1,
			"blocks no more: tests.sh; still blocks: lint.sh; new: new.sh.",
		},
		"ignored": { // it was not run, so nobody knows
			said{"a", "a", []string{tests, "lint.sh"}, nil},
			said{"b", "b", []string{"lint.sh"}, nil},
			1,
			"another reason; the one before was: a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := test.before.reply()
			st := &state.State{Plan: &mulligan.Plan{}, Progress: state.Progress{StopHooks: state.StopHooks{LastBlock: &before, SameBlock: test.same}}}
			got := Prompter{}.HookFeedback(st, test.now.reply())
			want := "[Hook feedback]: " + strings.TrimSpace(test.now.feedback) + "\n\nSince the last time: " + test.want
			if got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestFirstBlock: there is nothing to compare with; the user's own text has what changed by name.
func TestFirstBlock(t *testing.T) {
	st := &state.State{Plan: &mulligan.Plan{}}
	no := said{"no", "no", []string{"a"}, nil}.reply()
	if got := (Prompter{}).HookFeedback(st, no); got != "[Hook feedback]: no" {
		t.Errorf("%q", got)
	}
	st.Plan.AgentHooks.Feedback = "{{reason}} <{{changes}}>\n"
	if got := (Prompter{}).HookFeedback(st, no); got != "no <>" {
		t.Errorf("%q", got)
	}
	st.StopHooks.LastBlock, st.StopHooks.SameBlock = &no, 2
	if got := (Prompter{}).HookFeedback(st, no); got != "no <Since the last time: no change; it blocks for the same reason, 2 times in a row now.>" {
		t.Errorf("%q", got)
	}
}

// TestManyHooksChanged: the line is bounded, however many hooks there are.
func TestManyHooksChanged(t *testing.T) {
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("%d %s", i, strings.Repeat("x", 1000)))
	}
	before := said{"a", "a", names, nil}.reply()
	st := &state.State{Plan: &mulligan.Plan{}, Progress: state.Progress{StopHooks: state.StopHooks{LastBlock: &before, SameBlock: 1}}}
	got := describeSinceBlocked(st, said{"b", "b", []string{"other"}, names}.reply())
	if n := utf8.RuneCountInString(got); n > 2*maxListed*maxListedName || !strings.Contains(got, "and 490 more; new: other.") {
		t.Errorf("%d characters: %s", n, got)
	}
}
