package process

import (
	"strings"
	"testing"
)

func TestAgentMarked(t *testing.T) {
	for _, tt := range []struct {
		environ []string
		want    string
	}{
		{nil, ""},
		{[]string{"PATH=/bin", "EDITOR=vi"}, ""},
		{[]string{"CLAUDECODE=1"}, "CLAUDECODE is set, as Claude Code does"},
		{[]string{"CLAUDE_CODE_ENTRYPOINT=cli"}, "CLAUDE_CODE_ENTRYPOINT is set"},
		{[]string{"CODEX_SANDBOX=seatbelt"}, "CODEX_SANDBOX is set, as Codex does"},
		{[]string{"GEMINI_CLI=1"}, "GEMINI_CLI is set, as Gemini CLI does"},
		{[]string{"OPENCODE=1"}, "OPENCODE is set, as OpenCode does"},
		{[]string{"CURSOR_AGENT=1"}, "CURSOR_AGENT is set, as Cursor does"},
		{[]string{"CLAUDECODE=0", "GEMINI_CLI=", "OPENCODE=false"}, ""},
		{[]string{"CLAUDECODE=1", "CLAUDECODE="}, ""}, // the last counts
		{[]string{"XCLAUDECODE=1", "CLAUDECODES=1"}, ""},
	} {
		if got := AgentMarked(tt.environ); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q: %q, want %q", tt.environ, got, tt.want)
		}
	}
}

func TestAgentByEnvironment(t *testing.T) {
	if got := IdentifySelf([]string{DoorEnv + "=/run/x/door"}, ""); got.Role != RoleAgent || !strings.Contains(got.Why, DoorEnv) {
		t.Errorf("with %s: %+v", DoorEnv, got)
	}
	if got := IdentifySelf([]string{DoorEnv + "=", "CLAUDECODE=1"}, ""); got.Role != RoleNone {
		t.Errorf("without it: %+v", got)
	}
}
