package config

import (
	"strings"
	"testing"
	"time"
)

// H1: the keys of hooks, and where those may stand that make no sense everywhere.
func TestHookMistakes(t *testing.T) {
	tests := []struct{ hooks, want string }{
		{"session_start: [{command: x, when: failure}]", "2:38: hooks.session_start[0].when: not a key of a hook here\n    hooks: {session_start: [{command: x, when: failure}]}\n                                         ^\n    it may stand at post_iteration and session_end"},
		{"pre_iteration: [{command: x, deliver: now}]", "hooks.pre_iteration[0].deliver: not a key of a hook here"},
		{"session_end: [{command: x, deliver: now}]", "it may stand at post_iteration"},
		{"on_error: [{command: x, whne: failure}]", "hooks.on_error[0].whne: unknown key"},
		{"post_iteration: [{command: x, when: sometimes}]", `hooks.post_iteration[0].when: "sometimes" is not one of always, failure, success`},
		{"post_iteration: [{command: x, deliver: later}]", `hooks.post_iteration[0].deliver: "later" is not one of next, now`},
		{"post_iteration: [{name: x}]", `hooks.post_iteration[0]: the key "command" is missing`},
		{"post_iteration: [make test]", "hooks.post_iteration[0]: expected a hook, got text"},
		{"post_iteration: {command: x}", "hooks.post_iteration: expected a list, got a mapping"},
		{"post_iteration: [{command: x, timeout: -1}]", "hooks.post_iteration[0].timeout: -1 is less than no time at all"},
		{"post_iteration: [{command: x, timeout: soon}]", `"soon" is not a duration`},
		{"post_iteration: [{command: x, pipe_output: yes}]", "pipe_output: expected true or false, got text"},
		{"post_iteration: [{command: x, env: {A: 5}}]", `hooks.post_iteration[0].env.A: expected text, got the number 5`},
		{"post_iteration: [{command: x, env: [A]}]", "hooks.post_iteration[0].env: expected a mapping"},
		{"post_iteration: [{command: ' '}]", "hooks.post_iteration[0].command: is empty: it needs a command"},
		{"post_iterations: []", `did you mean "post_iteration"?`},
	}
	for _, tt := range tests {
		err := testSchema().Decode("mulligan.yaml", []byte(head+"hooks: {"+tt.hooks+"}\n")).Err()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got:\n%v\nwant:\n%s", tt.hooks, err, tt.want)
		}
	}
}

// H1, C2: seconds or a duration, and 30 if nothing is set; C5: the rest is as by default.
func TestHookDefaults(t *testing.T) {
	c := testSchema().Decode("mulligan.yaml", []byte(head+"hooks: {post_iteration: [{command: x}, {command: x, timeout: 120}, {command: x, timeout: 1m30s}]}\n"))
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	list := c.Get("hooks", "post_iteration").List()
	for i, want := range []time.Duration{30 * time.Second, 2 * time.Minute, 90 * time.Second} {
		if got := list[i].Get("timeout").Duration(); got != want {
			t.Errorf("the timeout of hook %d is %s, want %s", i, got, want)
		}
	}
	first := list[0]
	if first.Get("pipe_output").Bool() || first.Get("when").String() != "always" || first.Get("deliver").String() != "next" {
		t.Errorf("a hook is by default: pipe %v, when %s, deliver %s", first.Get("pipe_output").Bool(), first.Get("when"), first.Get("deliver"))
	}
}

// Given is false for what is not set, whatever its defaults, and true for an environment variable.
func TestGiven(t *testing.T) {
	dir := t.TempDir()
	none := write(t, dir, "none.yaml", head)
	some := write(t, dir, "some.yaml", head+"loop: {check: x}\n")
	for _, tt := range []struct {
		from  Sources
		given bool
	}{
		{Sources{Project: none}, false},
		{Sources{Project: some}, true},
		{Sources{Project: none, User: some}, true},
		{Sources{Project: none, Environ: []string{"MULLIGAN_LOOP_ITERATIONS=3"}}, true},
	} {
		c := testSchema().Load(tt.from)
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		if !c.Get("loop").IsSet() || c.Get("loop").Given() != tt.given {
			t.Errorf("%+v: given is %v", tt.from, !tt.given)
		}
	}
}

// A mistake inside a text is shown where it stands in the file, however that writes it.
func TestWrongAt(t *testing.T) {
	tests := []struct {
		yaml      string
		line, col int
		want      string
	}{
		{"hooks: {on_error: [{command: make BAD}]}", 1, 6, "2:35"},
		{`hooks: {on_error: [{command: "make BAD"}]}`, 1, 6, "2:36"},
		{`hooks: {on_error: [{name: "make BAD é", command: "make BAD"}]}`, 1, 6, "2:56"},
		{"hooks:\n  on_error:\n    - command: |\n        make\n\n          then BAD\n", 3, 8, "7:16"},
		{"hooks:\n  on_error:\n    - command: |\n        make BAD\n", 1, 6, "5:14"},
		// If the place is not known, the value's beginning.
		{`hooks: {on_error: [{command: "make\tBAD"}]}`, 1, 6, "2:30"},
		{`hooks: {on_error: [{command: "make\nBAD"}]}`, 2, 1, "2:30"},
		{"hooks:\n  on_error:\n    - command: >\n        make\n        BAD\n", 1, 6, "4:16"},
	}
	for _, tt := range tests {
		c := testSchema().Decode("mulligan.yaml", []byte(head+tt.yaml))
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		m := c.Get("hooks", "on_error").List()[0].Get("command").WrongAt(tt.line, tt.col, "%s is wrong", "BAD")
		if got := strings.TrimPrefix(m.position(), "mulligan.yaml:"); got != tt.want || m.Message != "BAD is wrong" || m.Path != "hooks.on_error[0].command" {
			t.Errorf("%s: %v at %s, want %s", tt.yaml, m, got, tt.want)
		}
	}
}

// A6: the limits of a step, and where those stand that a step or a loop has not.
func TestStepLimitMistakes(t *testing.T) {
	const session = "it is a limit of the session: put it under limits at the top level"
	for step, want := range map[string]string{
		"limits: {turns: -1}":             "2:43: pipelines.p[0].limits.turns: -1 is out of range: it must be at least 0",
		"limits: {tokens: -5}":            "2:44: pipelines.p[0].limits.tokens: -5 is out of range",
		"limits: {cost_usd: -0.5}":        "2:46: pipelines.p[0].limits.cost_usd: -0.5 is out of range",
		"limits: {turns: 1.5}":            "pipelines.p[0].limits.turns: expected a whole number",
		"limits: {cost_usd: $5}":          "pipelines.p[0].limits.cost_usd: expected a number",
		"limits: {turns: }":               "pipelines.p[0].limits.turns: has no value",
		"limits: 5":                       "2:35: pipelines.p[0].limits: expected a mapping, got the number 5",
		"limits: {turn: 5}":               `2:36: pipelines.p[0].limits.turn: unknown key` + "\n    pipelines: {p: [{name: s, limits: {turn: 5}}]}\n                                       ^\n    did you mean \"turns\"?",
		"limits: {price: 5}":              "known here: turns, tokens, cost_usd",
		"limits: {duration: 1h}":          "2:36: pipelines.p[0].limits.duration: not a key here\n    pipelines: {p: [{name: s, limits: {duration: 1h}}]}\n                                       ^\n    a step's time is its timeout: timeout: 1h, beside its limits",
		"limits: {timeout: 1h}":           "it is a key of the step itself, beside its limits",
		"limits: {failed_iterations: 3}":  session,
		"limits: {wait: 3h}":              session,
		"limits: {final_timeout: 3m}":     session,
		"limits: {same_failure: 3}":       session,
		"turns: 5":                        "2:27: pipelines.p[0].turns: not a key of a step here",
		"cost_usd: 5":                     "it is one of the step's limits: limits: {cost_usd: …}",
		"duration: 5m":                    "a step's time is its timeout",
		"limits: {turns: 2, turns: 3}":    "pipelines.p[0].limits.turns",
		"limits: {turns: 1}, limits: {}":  "pipelines.p[0].limits",
		"limits: [{turns: 1}]":            "pipelines.p[0].limits: expected a mapping, got a list",
		"retry: 1, limits: {tokens: 010}": "pipelines.p[0].limits.tokens",
	} {
		err := testSchema().Decode("mulligan.yaml", []byte(head+"pipelines: {p: [{name: s, "+step+"}]}\n")).Err()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got:\n%v\nwant:\n%s", step, err, want)
		}
	}
	err := testSchema().Decode("mulligan.yaml", []byte(head+"loop: {limits: {turns: 5}}\n")).Err()
	want := "2:8: loop.limits: not a key here\n    loop: {limits: {turns: 5}}\n           ^\n    a loop has no limits of its own: put the session's under limits at the top level"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

// 0 is no such limit, as for a session; a step without limits shows none.
func TestStepLimits(t *testing.T) {
	c := testSchema().Decode("mulligan.yaml", []byte(head+"pipelines: {p: [{name: a, limits: {turns: 0, tokens: 1000, cost_usd: 0.5}}, {name: b}, {name: c, limits: {}}]}\n"))
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	steps := c.Get("pipelines", "p").List()
	a := steps[0].Get("limits")
	if a.Get("turns").Int() != 0 || a.Get("tokens").Int() != 1000 || a.Get("cost_usd").Float() != 0.5 {
		t.Errorf("the limits are %v", a.Keys())
	}
	if steps[1].Get("limits").IsSet() || len(steps[2].Get("limits").Keys()) != 0 {
		t.Errorf("a step without limits has some")
	}
}
