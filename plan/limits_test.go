package plan

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// A6: what limits a session is in its plan, and in what validate says of it.
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

// A limit that an agent does not tell enough for is no limit, and that is said.
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

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Hour: "2h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 10 * time.Minute: "10m",
		10 * time.Hour: "10h", 20 * time.Second: "20s", time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s",
	} {
		if got := span(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
