package agent

import (
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/process"
)

// A judge's turn has no way to the session's tools, and no conversation that work is done in.
func TestReadOnlyTurn(t *testing.T) {
	turn := mulligan.Turn{Session: "s1", Number: 2, Conversation: "work", Env: []string{"MULLIGAN_DOOR=/run/door", "MULLIGAN_TOKEN=hush"}}
	spec := mulligan.AgentSpec{InheritEnv: true}
	deps := Deps{Environ: []string{"PATH=/bin", "MULLIGAN_TOKEN=outer"}}
	if door, _ := process.Lookup(deps.Env(spec, turn, "", Variables{}), "MULLIGAN_DOOR"); door != "/run/door" {
		t.Errorf("a turn that works has the door %q", door)
	}
	turn.ReadOnly = true
	env := deps.Env(spec, turn, "", Variables{})
	for _, name := range []string{"MULLIGAN_DOOR", "MULLIGAN_TOKEN"} {
		if value, ok := process.Lookup(env, name); ok {
			t.Errorf("%s is %q", name, value)
		}
	}
	if got := ConversationOf(turn); got == "work" || !strings.Contains(got, "judge") {
		t.Errorf("the conversation is %q", got)
	}
}
