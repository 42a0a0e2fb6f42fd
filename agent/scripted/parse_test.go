package scripted

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const text = `
pace: 20ms
steps:
  plan:
    - say: a turn of one action
  build:
    - - expect_prompt: [one, two]
      - write: {path: a/b.sh, content: "x", mode: "0755"}
      - append: {path: a/b.sh, content: "y"}
      - delete: old
      - run: make
      - sleep: 2
      - limit
    - - rate_limit: {after: 1m, times: 2}
      - unavailable: {cause: billing}
      - refuse: no
      - hang:
`
	got, err := Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := Script{
		Pace: 20 * time.Millisecond,
		Steps: map[string][]Turn{
			"plan": {{{Do: "say", Line: 5, Text: "a turn of one action"}}},
			"build": {
				{
					{Do: "expect_prompt", Line: 7, Wants: []string{"one", "two"}},
					{Do: "write", Line: 8, Path: "a/b.sh", Content: "x", Mode: 0o755},
					{Do: "append", Line: 9, Path: "a/b.sh", Content: "y"},
					{Do: "delete", Line: 10, Path: "old"},
					{Do: "run", Line: 11, Text: "make"},
					{Do: "sleep", Line: 12, For: 2 * time.Second},
					{Do: "limit", Line: 13},
				},
				{
					{Do: "rate_limit", Line: 14, For: time.Minute, Times: 2},
					{Do: "unavailable", Line: 15, Cause: "billing"},
					{Do: "refuse", Line: 16, Text: "no"},
					{Do: "hang", Line: 17},
				},
			},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// the plan is journaled, and a resumed session plays what it finds there
	data, err := json.Marshal(Options{Path: "x.yaml", Script: got})
	if err != nil {
		t.Fatal(err)
	}
	var back Options
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back.Script, want) || back.Path != "x.yaml" {
		t.Errorf("through the journal: %+v, %v", back, err)
	}
}

func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "s.yaml:1:1: the script is empty"},
		{"comment only", "# nothing\n", "s.yaml:1:1: the script is empty"},
		{"not a mapping", "- say: x", "a script: want a mapping"},
		{"no turns", "pace: 1s", "no turns: give turns or steps"},
		{"empty turns", "turns: []", "no turns: give turns or steps"},
		{"both", "turns: [say: x]\nsteps: {a: [say: x]}", "turns and steps: give one of the two"},
		{"unknown key", "turn: [say: x]", `s.yaml:1:1: unknown key "turn": want one of delivery, hook, now, pace, recovery, steps, turns`},
		{"unknown action", "turns:\n  - - sya: x", `s.yaml:2:7: unknown action "sya"`},
		{"two keys", "turns:\n  - - say: x\n      run: y", `s.yaml:3:7: an action has one key: write "run" as a list item of its own`},
		{"task without a verb", "turns:\n  - task: {priority: 1}", "s.yaml:2:11: task: want one of add, add_many, list, next, block, cancel, done"},
		{"a word for a task", "turns:\n  - task: x", "s.yaml:2:11: want list or next, or a mapping"},
		{"nothing for a task", "turns:\n  - task:", "task: want a mapping"},
		{"a task's id", "turns:\n  - task: {done: one}", "s.yaml:2:18: want a whole number"},
		{"a task's field", "turns:\n  - task: {done: 1, prio: 2}", `unknown key "prio"`},
		{"a task's content", "turns:\n  - task: {add: 42}", "want a text"},
		{"many tasks", "turns:\n  - task: {add_many: x}", "want a list of tasks"},
		{"next as a mapping", "turns:\n  - task: {next: true}", "write it as: task: next"},
		{"must", "turns:\n  - ask: {question: x, must: 1}", "want true or false"},
		{"nothing to ask", "turns:\n  - ask:", "want a text"},
		{"only a delivery", "delivery: [say: x]", "no turns: give turns or steps"},
		{"a number to say", "turns:\n  - say: 42", "s.yaml:2:10: want a text"},
		{"nothing to say", "turns:\n  - say:", "want a text"},
		{"bare say", "turns:\n  - say", "want a text"},
		{"bad duration", "turns:\n  - sleep: soon", "s.yaml:2:12: want a duration"},
		{"negative duration", "pace: -1s\nturns: [say: x]", "want a duration"},
		{"escaping", "turns:\n  - write: {path: ../x}", `"../x" is not a path inside the workspace`},
		{"absolute", "turns:\n  - delete: /etc/x", "not a path inside the workspace"},
		{"the workspace itself", "turns:\n  - delete: .", "not a path inside the workspace"},
		{"no path", "turns:\n  - write: {content: x}", "s.yaml:2:5: write needs a path"},
		{"unknown field", "turns:\n  - write: {path: x, contents: x}", `unknown key "contents": want one of content, mode, path`},
		{"mode of an append", "turns:\n  - append: {path: x, mode: 0755}", `unknown key "mode"`},
		{"bad mode", "turns:\n  - write: {path: x, mode: rwx}", "want a mode such as 0755"},
		{"cause", "turns:\n  - unavailable: moon", `unknown cause "moon": want one of network, missing, auth, billing`},
		{"no cause", "turns:\n  - unavailable", "unavailable needs a cause"},
		{"times beside its ending", "turns:\n  - [{crash: null, times: 2}]", "times stands with its ending: crash: {times: 2}"},
		{"times beside a rate limit", "turns:\n  - [{rate_limit: 30s, times: 2}]", "times stands with its ending: rate_limit: {after: 30s, times: 2}"},
		{"times beside no ending", "turns:\n  - [{say: x, times: 2}]", "an action has one key"},
		{"times", "turns:\n  - fail: {times: 0}", "want a whole number of 1 or more"},
		{"hang for", "turns:\n  - hang: 3s", "want nothing here"},
		{"a second document", "turns: [say: x]\n---\nturns: [say: y]", "s.yaml:3:"},
		{"twice", "turns: [say: x]\nturns: [say: y]", "s.yaml:2:1: "},
		{"syntax", "turns: [say: x", "s.yaml:1:"},
		{"too large", strings.Repeat("#", maxScript+1), "larger than 1 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("s.yaml", []byte(tt.text))
			var mistakes Mistakes
			if !errors.As(err, &mistakes) {
				t.Fatalf("error = %v, want Mistakes", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %q, want %q", err, tt.want)
			}
		})
	}
}

func TestAllMistakesAtOnceInOrder(t *testing.T) {
	_, err := Parse("s.yaml", []byte("pace: x\nturns:\n  - - sya: x\n    - sleep: y\nmore: 1\n"))
	var at []int
	var mistakes Mistakes
	errors.As(err, &mistakes)
	for _, m := range mistakes {
		at = append(at, m.Line)
	}
	if !reflect.DeepEqual(at, []int{1, 3, 4, 5}) {
		t.Errorf("mistakes at %v: %v", at, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("turns: [[say: x, write: {path: a, content: b, mode: 0755}, hang, limit]]")
	f.Add("pace: 1s\nsteps: {a: [crash: {times: 2}, unavailable: network, rate_limit: 3]}")
	f.Add("turns: [&a [say: x], *a, <<: *a]")
	f.Add("? [a]\n: b")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f", []byte(text))
		if err == nil && len(s.Turns) == 0 && len(s.Steps) == 0 {
			t.Error("a script without turns was taken")
		}
	})
}
