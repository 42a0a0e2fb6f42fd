package builtin

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
)

// Each agent is told to ask at the moments that it has, once at each, for as long as the longest hook
// of the moment may take.
func TestInside(t *testing.T) {
	deps := Deps{Inside: []mulligan.AgentHook{
		{Event: "PreToolUse", Matcher: "Edit", Timeout: time.Minute},
		{Event: "TaskCompleted", Timeout: time.Second},
		{Event: "PreToolUse", Matcher: "Bash", Timeout: 2 * time.Minute},
		{Event: "PostToolUse", Matcher: "Edit", Timeout: time.Second},
	}}
	pre := agent.Hook{Event: "PreToolUse", Timeout: 2*time.Minute + answerTime}
	post := agent.Hook{Event: "PostToolUse", Matcher: "Edit", Timeout: time.Second + answerTime}
	done := agent.Hook{Event: "TaskCompleted", Timeout: time.Second + answerTime}
	for name, want := range map[string][]agent.Hook{"claude": {pre, done, post}, "codex": {pre, post}} {
		kind, _ := Catalog().Agent(name)
		spec, err := deps.addInsideHooks(mulligan.AgentSpec{Name: "x", Type: name, Options: json.RawMessage(`{"exec":["y"]}`)}, kind.Inside)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Exec  []string
			Hooks []agent.Hook
		}
		if err := json.Unmarshal(spec.Options, &got); err != nil || !reflect.DeepEqual(got.Hooks, want) || len(got.Exec) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if _, err := NewAgent(mulligan.AgentSpec{Name: "x", Type: name}, deps); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What an agent has no hooks at, it is not handed.
func TestInsideOfTypes(t *testing.T) {
	for name, want := range map[string]string{
		"claude": "PreToolUse TaskCompleted SubagentStop", "codex": "PreToolUse SubagentStop", "acp": "", "aider": "", "program": "", "scripted": "",
	} {
		kind, ok := Catalog().Agent(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		var has []string
		for _, event := range []string{"PreToolUse", "TaskCompleted", "SubagentStop", "NeverHeardOf"} {
			if kind.Inside != nil && kind.Inside(event) {
				has = append(has, event)
			}
		}
		if got := strings.Join(has, " "); got != want {
			t.Errorf("%s has %q", name, got)
		}
	}
}
