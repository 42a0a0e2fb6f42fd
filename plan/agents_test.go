package plan

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// Keys that not all agents have reach those that do.
func TestAgentKeys(t *testing.T) {
	p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": `version: 1
agent: m
agents: {m: {type: modelled, exec: [x], model: large, args: [--quiet, ""], max_turns: 7, permissions: full}}
pipelines: {p: [{name: s, model: small}, {name: t}]}
`})))
	if err != nil {
		t.Fatal(err)
	}
	want := mulligan.AgentSpec{
		Name: "m", Type: "modelled", IdleTimeout: 10 * time.Minute, Model: "large", Args: []string{"--quiet", ""}, MaxTurns: 7,
		Permissions: "full", Options: json.RawMessage(`{"exec":["x"]}`),
	}
	if !reflect.DeepEqual(p.Agents["m"], want) {
		t.Errorf("got %+v", p.Agents["m"])
	}
	if p.Steps[0].Model != "small" || p.Steps[1].Model != "" {
		t.Errorf("the steps are %+v", p.Steps)
	}
}

// A name that is built in needs no entry, and an entry of that name stands for it.
func TestBuiltinNames(t *testing.T) {
	p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": "version: 1\nagent: ready\npipelines: {p: [{name: s, model: small}, {name: t, agent: ready}]}\n"})))
	if err != nil {
		t.Fatal(err)
	}
	want := mulligan.AgentSpec{
		Name: "ready", Type: "modelled", IdleTimeout: 10 * time.Minute, Permissions: "edits", Options: json.RawMessage(`{"exec":["ready","--now"]}`),
	}
	if !reflect.DeepEqual(p.Agents["ready"], want) || len(p.Agents) != 1 || len(p.Notes) > 0 {
		t.Errorf("got %+v, notes %q", p.Agents, p.Notes)
	}
	p, err = Make(request(workplace(t, map[string]string{"mulligan.yaml": "version: 1\nagent: ready\nagents: {ready: {type: program, exec: [mine]}}\npipelines: {p: [{name: s}]}\n"})))
	if err != nil || p.Agents["ready"].Type != "program" {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestAgentMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"agent: claude\npipelines: {p: [{name: s}]}":                                                                 `mulligan.yaml:2:8: agent: the built-in agent "claude" is not supported yet`,
		"agent: scripted\npipelines: {p: [{name: s}]}":                                                               `the built-in agent "scripted" needs options`,
		"agent: a\nagents: {a: {type: program, exec: [x], model: m}}\npipelines: {p: [{name: s}]}":                   "agents.a.model: not an option of type program",
		"agent: a\nagents: {a: {type: program, exec: [x], max_turns: 3}}\npipelines: {p: [{name: s}]}":               "agents.a.max_turns: not an option of type program",
		"agent: a\nagents: {a: {type: modelled, exec: [x], max_turns: 0}}\npipelines: {p: [{name: s}]}":              "agents.a.max_turns: 0 is out of range",
		"agent: a\nagents: {a: {type: program, exec: [x]}}\npipelines: {p: [{name: s, model: m}]}":                   "pipelines.p[0].model: agent a (type program) has no choice of models",
		"agent: a\nagents: {a: {type: modelled, exec: [x]}}\nloop: {iterations: 0}\nlimits: {tokens: 5}":             "limits.tokens and limits.cost_usd count what agents tell",
		"agent: a\nagents: {a: {type: modelled, exec: [x]}}\npipelines: {p: [{name: s}]}\nlimits: {cost_usd: -1}":    "limits.cost_usd: -1 is out of range",
		"agent: a\nagents: {a: {type: modelled, exec: [x]}}\npipelines: {p: [{name: s}]}\nlimits: {tokens: 1.5}":     "limits.tokens: expected a whole number",
		"agent: nobody\nagents: {a: {type: modelled, exec: [x]}}\npipelines: {p: [{name: s, agent: a, model: m}]}\n": `there is no agent "nobody"`,
	} {
		_, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": "version: 1\n" + text + "\n"})))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nwant %q, got:\n%v", text, want, err)
		}
	}
}

// A9: an agent that can be told what it may do is told; there is a note if it cannot.
func TestPermissions(t *testing.T) {
	tests := []struct {
		kind, given string
		ask         bool
		want, note  string
	}{
		{kind: "modelled", want: "edits"},
		{kind: "modelled", given: "full", want: "full"},
		{kind: "modelled", given: "edits", want: "edits"},
		{kind: "modelled", given: "ask", want: "ask", note: "agent a asks before it acts"},
		{kind: "modelled", given: "ask", ask: true, want: "ask"},
		{kind: "program"},
		{kind: "program", given: "full"},
		{kind: "program", given: "edits", note: "agent a (program) cannot be told to keep to permissions: edits"},
	}
	for _, tt := range tests {
		permissions := ""
		if tt.given != "" {
			permissions = ", permissions: " + tt.given
		}
		r := request(workplace(t, map[string]string{
			"mulligan.yaml": "version: 1\nagent: a\nagents: {a: {type: " + tt.kind + ", exec: [x]" + permissions + "}}\npipelines: {p: [{name: s}]}\n",
		}))
		r.Ask = tt.ask
		p, err := Make(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Agents["a"].Permissions; got != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
		if notes := strings.Join(p.Notes, "\n"); (notes == "") != (tt.note == "") || !strings.Contains(notes, tt.note) {
			t.Errorf("%+v: the notes are %q", tt, notes)
		}
	}
}

// A hook inside an agent that asks another agent has that one in the plan, and one whose program
// is not there has a note.
func TestInsideHooks(t *testing.T) {
	r := request(workplace(t, map[string]string{"mulligan.yaml": `version: 1
agent: m
agents: {m: {type: modelled, exec: [x]}, judge: {type: program, exec: [x]}}
pipelines: {p: [{name: s}]}
agent_hooks:
  PreToolUse: [{hooks: [{type: prompt, prompt: Is it right?, agent: judge}, {command: ./gone.sh}]}]
`}))
	r.Environ = []string{"PATH=/bin"}
	p := makeInside(t, r)
	if p.Agents["judge"].Type != "program" || len(p.AgentHooks.Inside("PreToolUse")) != 2 {
		t.Errorf("the agents are %+v, the hooks %+v", p.Agents, p.AgentHooks.Hooks)
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, `PreToolUse hook "./gone.sh" of mulligan.yaml cannot be run: ./gone.sh does not exist`) {
		t.Errorf("the notes are %q", notes)
	}
	lines := strings.Join(AgentHookLines(p), "\n")
	if !strings.Contains(lines, "PreToolUse: ./gone.sh (at most 1m, from mulligan.yaml): asked for from inside the agent") {
		t.Errorf("got:\n%s", lines)
	}
}
