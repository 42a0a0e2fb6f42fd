package acp

import (
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
