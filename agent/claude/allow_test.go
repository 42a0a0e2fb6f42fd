package claude

import (
	"encoding/json"
	"testing"

	"mulligan"
)

// TestAllowLines: a denial comes with the line of config that allows the least.
func TestAllowLines(t *testing.T) {
	const edits = "agents: {big: {permissions: edits}}"
	for _, tt := range []struct{ permissions, tool, input, want string }{
		{"ask", "Edit", `{"file_path":"a"}`, edits},
		{"ask", "Write", `{"file_path":"a"}`, edits},
		{"ask", "Bash", `{"command":"go test ./..."}`, edits},
		{"ask", "Bash", `{"command":"go vet ./..."}`, `agents: {big: {args: [--allowedTools, "Bash(go vet ./...)"]}}`},
		{"edits", "Bash", `{"command":"go vet ./..."}`, `agents: {big: {args: [--allowedTools, "Bash(go vet ./...)"]}}`},
		{"edits", "Bash", `{"command":"go vet ./...; rm x"}`, ""},
		{"edits", "Bash", `{"command":"go vet $X"}`, ""},
		{"edits", "Bash", `{"command":"go vet\nrm x"}`, ""},
		{"edits", "Bash", `{"command":"deploy [secret:KEY]"}`, ""},
		{"edits", "Bash", `{}`, ""},
		{"edits", "WebFetch", `{"url":"x"}`, `agents: {big: {args: [--allowedTools, "WebFetch"]}}`},
		{"edits", "mcp__web__get", `{}`, `agents: {big: {args: [--allowedTools, "mcp__web__get"]}}`},
		{"edits", "Odd tool", `{}`, ""},
		{"edits", "Write", `{"file_path":"/etc/x"}`, ""},
	} {
		a := &Agent{spec: mulligan.AgentSpec{Name: "big", Permissions: tt.permissions}}
		if got := a.allowLine([]string{"go test ./..."}, tt.tool, json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("%s, %s %s: %q, want %q", tt.permissions, tt.tool, tt.input, got, tt.want)
		}
	}
}
