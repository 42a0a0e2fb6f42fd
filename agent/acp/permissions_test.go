package acp

import (
	"encoding/json"
	"testing"

	"mulligan"
	"mulligan/agent"
)

// In a judge's turn nothing is permitted, neither by the agent's permissions nor as one of the
// session's tools, and no tools are handed over.
func TestReadOnlyPermitsNothing(t *testing.T) {
	env := []string{"MULLIGAN=/bin/mulligan", "MULLIGAN_DOOR=/run/door"}
	for _, permissions := range []string{"full", "edits", "ask"} {
		for _, call := range []toolCall{{ID: "1", Kind: "read", Title: "a file"}, {ID: "2", Kind: "edit", Title: "a file"}, {ID: "3", Title: "mcp__" + agent.ToolServer + "__task_add"}} {
			x := &exchange{agent: &Agent{spec: mulligan.AgentSpec{Permissions: permissions}}, env: env, turn: mulligan.Turn{Env: env, ReadOnly: true}}
			if x.isAllowed(t.Context(), call) {
				t.Errorf("permissions %s: %s is allowed", permissions, call)
			}
			if servers := x.toolServers(); len(servers) > 0 {
				t.Errorf("it gets %d tool servers", len(servers))
			}
		}
	}
}

// TestChecksAreAllowed: with permissions: edits the agent may run its step's checks exactly as they are.
func TestChecksAreAllowed(t *testing.T) {
	for input, want := range map[string]bool{
		`{"command":"go test ./..."}`:                         true,
		`{"command":["/bin/bash","-lc","go test ./..."]}`:     true,
		`{"command":"go test ./... && rm x"}`:                 false,
		`{"command":"go test"}`:                               false,
		`{"title":"go test ./..."}`:                           false,
		`{"command":["/bin/bash","-lc","go test ./...","x"]}`: false,
	} {
		x := &exchange{
			agent: &Agent{spec: mulligan.AgentSpec{Permissions: "edits"}},
			turn:  mulligan.Turn{Allowed: []string{"go test ./..."}},
		}
		call := toolCall{ID: "1"}.withUpdate(toolCall{Kind: "execute", Title: "go test ./...", Input: json.RawMessage(input)})
		if got := x.isAllowed(t.Context(), call); got != want {
			t.Errorf("%s: allowed %v", input, got)
		}
	}
}
