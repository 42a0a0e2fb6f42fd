package plan

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// A6: what limits a session is in its plan, and in the lines of validate.
func TestLimits(t *testing.T) {
	r := request(workplace(t, map[string]string{"mulligan.yaml": `version: 1
agent: m
agents: {m: {type: modelled, exec: [x], max_turns: 80, timeout: 90m}}
pipelines: {p: [{name: s, check: make}]}
limits: {tokens: 2000000, cost_usd: 5, wait: 1h30m, duration: 2h, turns: 30, failed_iterations: 1}
`}))
	p, err := Make(r)
	if err != nil {
		t.Fatal(err)
	}
	want := mulligan.Limits{
		Duration: 2 * time.Hour, Turns: 30, FailedIterations: 1, FinalTimeout: 5 * time.Minute,
		Tokens: 2_000_000, CostUSD: 5, Wait: 90 * time.Minute,
	}
	if p.Limits != want {
		t.Errorf("the limits are %+v", p.Limits)
	}
	lines := []string{
		"at most 1 turn in step s",
		"agent m: at most 80 turns of its own and 1h30m in each turn",
		"at most 30 turns in all",
		"at most 2h of turns and checks in all",
		"at most 2000000 tokens in all, counted after each turn",
		"at most $5.00 in all, as billed, counted after each turn",
		"at most 1h30m of waiting for rate limits",
	}
	if got := Bounds(p); !reflect.DeepEqual(got, lines) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	r.NoWait = true
	if p, err = Make(r); err != nil || !p.Limits.NoWait {
		t.Errorf("--no-wait is lost: %v", err)
	}
	if got := Bounds(p); got[len(got)-1] != "no waiting for rate limits" {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}

// A limit that an agent does not report enough for is no limit, and there is a note on it.
func TestLimitsThatStopNothing(t *testing.T) {
	const agents = "version: 1\nagents: {m: {type: modelled, exec: [x]}, a: {type: program, exec: [x]}}\n"
	for text, want := range map[string][]string{
		"agent: m\npipelines: {p: [{name: s}]}\nlimits: {tokens: 5}": nil,
		"agent: m\npipelines: {p: [{name: s}]}\nlimits: {cost_usd: 0.5}": {
			"limits.cost_usd does not stop m (modelled): what is not told is not counted",
		},
		"agent: m\npipelines: {p: [{name: s}, {name: t, agent: a}, {name: u, agent: a}]}\nlimits: {tokens: 5, cost_usd: 1}": {
			"limits.tokens does not stop a (program): what is not told is not counted",
			"limits.cost_usd does not stop m (modelled) and a (program): what is not told is not counted",
		},
		"agent: m\npipelines: {p: [{name: s, limits: {tokens: 5}}, {name: t, agent: a, limits: {tokens: 5, turns: 1}}]}": {
			"step t: its limits.tokens does not stop a (program): what is not told is not counted",
		},
		"agent: m\npipelines: {p: [{name: s, limits: {tokens: 5}}]}\nlimits: {tokens: 5}\nagent_hooks: {Stop: [{hooks: [{type: prompt, prompt: y, agent: a}]}]}": {
			"limits.tokens does not stop a (program): what is not told is not counted",
			"step s: its limits.tokens does not stop a (program): what is not told is not counted",
		},
	} {
		p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": agents + text + "\n"})))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p.Notes, want) {
			t.Errorf("%s\nthe notes are %q", text, p.Notes)
		}
	}
}

// A6: what limits a step is in its plan, and validate prints what the steps come to together.
func TestStepLimits(t *testing.T) {
	const agents = "version: 1\nagent: m\nagents: {m: {type: modelled, exec: [x]}, a: {type: program, exec: [x]}}\n"
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"all of them": {"pipelines: {p: [{name: s, retry: 4, limits: {turns: 3, tokens: 1000, cost_usd: 0.5}}, {name: t, limits: {turns: 5, tokens: 500, cost_usd: 1}}]}", []string{
			"at most 3 turns in step s (its limits.turns)",
			"at most 1000 tokens in step s, counted after each turn",
			"at most $0.50 in step s, as billed, counted after each turn",
			"at most 1 turn in step t, and 2 more before each where the agent itself fails (limits.failed_iterations: 3); never more than 5 (its limits.turns)",
			"at most 500 tokens in step t, counted after each turn",
			"at most $1.00 in step t, as billed, counted after each turn",
			"at most 8 turns in all, the limits of its steps together",
			"at most 1500 tokens in all, the limits of its steps together, counted after each turn",
			"at most $1.50 in all, the limits of its steps together, as billed, counted after each turn",
		}},
		"the session's are less": {"pipelines: {p: [{name: s, limits: {turns: 1, cost_usd: 2}}]}\nlimits: {cost_usd: 1, turns: 3}", []string{
			"at most 1 turn in step s (its limits.turns)",
			"at most $2.00 in step s, as billed, counted after each turn",
			"at most 1 turn in all, the limits of its steps together",
			"at most $1.00 in all, as billed, counted after each turn",
		}},
		"not all have some": {"pipelines: {p: [{name: s, limits: {turns: 1}}, {name: t, limits: {tokens: 7}}]}\nlimits: {failed_iterations: 1}", []string{
			"at most 1 turn in step s (its limits.turns)",
			"at most 1 turn in step t",
			"at most 7 tokens in step t, counted after each turn",
		}},
		"a delivery besides": {"pipelines: {p: [{name: s, limits: {turns: 1, tokens: 9}}]}\nhooks: {session_start: [{command: x, pipe_output: true}]}", []string{
			"at most 1 turn in step s (its limits.turns)",
			"at most 9 tokens in step s, counted after each turn",
			"one more turn at the end for what is still pending, of at most 5m",
			"at most 2 turns in all, the limits of its steps together",
		}},
	} {
		p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": agents + test.text + "\n"})))
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(Bounds(p), func(s string) bool {
			return strings.HasSuffix(s, "rate limits") || strings.HasSuffix(s, "not verified")
		})
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s, got:\n%s", name, strings.Join(got, "\n"))
		}
	}
}

// A6: judges are listed with the moment that they are asked at.
func TestJudgeBounds(t *testing.T) {
	judge := func(event string, inside bool) mulligan.AgentHook {
		return mulligan.AgentHook{Event: event, Type: "prompt", Prompt: event, Inside: inside}
	}
	p := &mulligan.Plan{AgentHooks: mulligan.AgentHooks{Hooks: []mulligan.AgentHook{
		judge("Stop", false),
		{Event: "Stop", Type: "prompt", Prompt: "another"},
		{Event: "Stop", Type: "command", Command: "x"},
		judge("UserPromptSubmit", false), judge("SessionStart", false), judge("SessionEnd", false), judge("PreToolUse", true),
		{Event: "PostToolUse", Type: "command", Command: "x", Inside: true},
	}}}
	want := []string{
		"one turn of a judge at the start, for SessionStart hooks of type prompt",
		"one turn of a judge before each turn, for UserPromptSubmit hooks of type prompt",
		"2 turns of judges after each turn, for Stop hooks of type prompt",
		"one turn of a judge at the end, for SessionEnd hooks of type prompt",
		"one turn of a judge at each PreToolUse inside the agent, for hooks of type prompt",
	}
	if got := judgeBounds(p); !reflect.DeepEqual(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Hour: "2h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 10 * time.Minute: "10m",
		10 * time.Hour: "10h", 20 * time.Second: "20s", time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
