package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/task"
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

// TestSessionTools: the session's own tools are told by the whole title, and no command is taken for one.
func TestSessionTools(t *testing.T) {
	for update, want := range map[string]string{
		`{"title":"mcp__mulligan__task_add","kind":"other"}`:                                                                  "task_add",
		`{"title":"mulligan_task_add","kind":"other","rawInput":{}}`:                                                          "task_add",
		`{"title":"task_add (mulligan MCP Server)","kind":"other"}`:                                                           "task_add",
		`{"title":"Tool: mulligan/task_add"}`:                                                                                 "task_add",
		`{"title":"mcp__mulligan__task_add and more","kind":"other"}`:                                                         "",
		`{"title":"mcp__mulligan__permit","kind":"other"}`:                                                                    "",
		`{"title":"mcp__other__task_add","kind":"other"}`:                                                                     "",
		`{"title":"mulligan/task_add","kind":"execute"}`:                                                                      "",
		`{"title":"mulligan/task_add","kind":"other"}`:                                                                        "",
		`{"title":"mulligan_task_add","kind":"execute"}`:                                                                      "",
		`{"title":"mcp.mulligan.task_add","kind":"execute"}`:                                                                  "",
		`{"title":"mulligan_task_add","rawInput":{"command":"rm -r x"}}`:                                                      "",
		`{"title":"mcp.mulligan.task_add","kind":"execute","rawInput":{"server":"mulligan","tool":"task_add"}}`:               "task_add",
		`{"title":"mcp.mulligan.task_add","kind":"execute","rawInput":{"server":"other","tool":"task_add"}}`:                  "",
		`{"title":"mcp.mulligan.task_add","kind":"execute","rawInput":{"server":"mulligan","tool":"task_add","command":"x"}}`: "",
	} {
		var call toolCall
		if err := json.Unmarshal([]byte(update), &call); err != nil {
			t.Fatal(err)
		}
		if got := (toolCall{ID: "1"}).withUpdate(call).sessionTool(); got != want {
			t.Errorf("%s: %q", update, got)
		}
	}
}

// TestTitleCommands: a command of Gemini CLI is its title, where the program says by its content that it runs in the workspace.
func TestTitleCommands(t *testing.T) {
	const content = `"content":[{"type":"content","content":{"type":"text","text":"[current working directory /w] (why)"}}]`
	for request, want := range map[string]bool{
		`{"kind":"execute","title":"go test ./...",` + content + `}`:                                                                   true,
		`{"kind":"execute","title":"go test ./... -run x",` + content + `}`:                                                            false,
		`{"kind":"execute","title":"go test ./...; rm x",` + content + `}`:                                                             false,
		`{"kind":"other","title":"go test ./...",` + content + `}`:                                                                     false,
		`{"kind":"execute","title":"go test ./...","rawInput":{"command":"rm x"},` + content + `}`:                                     false,
		`{"kind":"execute","title":"go test ./...","rawInput":{"x":1},` + content + `}`:                                                false,
		`{"kind":"execute","title":"go test ./..."}`:                                                                                   false,
		`{"kind":"execute","title":"go test ./...",` + strings.Replace(content, "/w]", "/w/sub]", 1) + `}`:                             false,
		`{"kind":"execute","title":"go test ./...",` + strings.Replace(content, "[current working directory /w]", "[in sub]", 1) + `}`: false,
	} {
		for _, program := range []string{"gemini-cli", "another", ""} {
			x := newExchange(
				&Agent{spec: mulligan.AgentSpec{Permissions: "edits"}},
				mulligan.Turn{Dir: "/w", Allowed: []string{"go test ./..."}}, nil, io.Discard,
			)
			x.program = program
			params := fmt.Sprintf(`{"toolCall":%s,"options":[{"optionId":"Y","kind":"allow_once"},{"optionId":"N","kind":"reject_once"}]}`,
				strings.Replace(request, "{", `{"toolCallId":"1",`, 1))
			answer, err := x.answerRequest(t.Context(), "session/request_permission", json.RawMessage(params))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(fmt.Sprint(answer), "optionId:Y"); got != (want && program == "gemini-cli") {
				t.Errorf("%s by %q: allowed %v", request, program, got)
			}
		}
	}
}

// TestEditsAreAskedAboutAsDiffs: a person who is asked about an edit sees what it changes, whether the agent tells it with
// the request or before.
func TestEditsAreAskedAboutAsDiffs(t *testing.T) {
	for name, tt := range map[string]struct{ update, request, want string }{
		"with the request": {
			"", `{"toolCallId":"1","kind":"edit","title":"Writing to a","locations":[{"path":"/w/a"}],"content":[{"type":"diff","path":"/w/a","oldText":"x\ny\n","newText":"x\nz\n"}]}`,
			"edit: Writing to a: /w/a\n x\n-y\n+z\n ",
		},
		"before": {
			`{"sessionUpdate":"tool_call","toolCallId":"1","kind":"edit","title":"Editing files","content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"n"},{"type":"diff","path":"/w/b","oldText":"o","newText":""}]}`,
			`{"toolCallId":"1","kind":"edit","title":"Edit files","locations":[{"path":"/w/a"},{"path":"/w/b"}]}`,
			"edit: Edit files: /w/a\nfile /w/a\n+n\nfile /w/b\n-o",
		},
		"every occurrence": {
			"", `{"toolCallId":"1","kind":"edit","title":"Edit a","rawInput":{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":true},"content":[{"type":"diff","path":"/w/a","oldText":"x","newText":"y"}]}`,
			"edit: Edit a: /w/a\nevery occurrence is replaced:\n-x\n+y",
		},
		"no diff": {"", `{"toolCallId":"1","kind":"edit","title":"Edit a","content":[]}`, "edit: Edit a"},
	} {
		var what string
		deps := agent.Deps{Tools: func(_ context.Context, _ mulligan.Turn, _ string, args any) (json.RawMessage, error) {
			what = args.(task.PermitArgs).What
			return nil, errors.New("nobody is here")
		}}
		x := newExchange(&Agent{spec: mulligan.AgentSpec{Permissions: "ask"}, deps: deps}, mulligan.Turn{}, nil, io.Discard)
		x.session = "s"
		if tt.update != "" {
			x.takeNotification("session/update", json.RawMessage(`{"sessionId":"s","update":`+tt.update+`}`))
		}
		if _, err := x.answerRequest(t.Context(), "session/request_permission", json.RawMessage(`{"toolCall":`+tt.request+`}`)); err != nil {
			t.Fatal(err)
		}
		if what != tt.want {
			t.Errorf("%s: %q, want %q", name, what, tt.want)
		}
	}
}
