package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mulligan"
	"mulligan/task"
)

func TestPermit(t *testing.T) {
	answer := func(a task.Answer) func() (json.RawMessage, error) {
		return func() (json.RawMessage, error) { return json.Marshal(a) }
	}
	for name, tt := range map[string]struct {
		reply  func() (json.RawMessage, error)
		allows bool
		says   string
	}{
		"allowed":    {answer(task.Answer{Answer: "allow", By: mulligan.ByPerson}), true, ""},
		"denied":     {answer(task.Answer{Answer: "deny", By: mulligan.ByPerson}), false, "a person said no"},
		"nobody":     {answer(task.Answer{Answer: "deny", By: mulligan.ByDefault}), false, "nobody was there"},
		"by default": {answer(task.Answer{Answer: "allow", By: mulligan.ByDefault}), false, "nobody was there"},
		"broken":     {func() (json.RawMessage, error) { return nil, errors.New("the door is shut") }, false, "the door is shut"},
		"nonsense":   {func() (json.RawMessage, error) { return json.RawMessage(`[`), nil }, false, "does not understand"},
	} {
		t.Run(name, func(t *testing.T) {
			var what string
			call := func(_ context.Context, r task.Request) (json.RawMessage, error) {
				var args task.PermitArgs
				if r.Tool != task.ToolPermit || json.Unmarshal(r.Args, &args) != nil {
					t.Errorf("asked for %s %s", r.Tool, r.Args)
				}
				what = args.What
				return tt.reply()
			}
			there, here := mcp.NewInMemoryTransports()
			server := Server(call, "1")
			Permit(server, call)
			go server.Run(t.Context(), there)
			d := permission(t, client(t, here), map[string]any{"tool_name": "Bash", "tool_use_id": "1", "input": map[string]any{"command": "go vet", "timeout": 12345678901234567}})
			if what != "Bash: go vet\ntimeout: 12345678901234567" {
				t.Errorf("asked about %q", what)
			}
			switch {
			case tt.allows && (d.Behavior != "allow" || string(d.Input) != `{"command":"go vet","timeout":12345678901234567}`):
				t.Errorf("%+v, not allowed as it was asked", d)
			case !tt.allows && (d.Behavior != "deny" || d.Input != nil || !strings.Contains(d.Message, tt.says)):
				t.Errorf("%+v, input %s", d, d.Input)
			}
		})
	}
}

func permission(t *testing.T, session *mcp.ClientSession, args any) (d decision) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: task.ToolPermit, Arguments: args})
	if err != nil || r.IsError || len(r.Content) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// What cannot be understood is not asked about.
func TestPermitOfNothing(t *testing.T) {
	call := func(context.Context, task.Request) (json.RawMessage, error) {
		t.Error("somebody was asked")
		return nil, nil
	}
	there, here := mcp.NewInMemoryTransports()
	server := Server(call, "1")
	Permit(server, call)
	go server.Run(t.Context(), there)
	session := client(t, here)
	for _, args := range []any{map[string]any{}, map[string]any{"tool_name": 1}, map[string]any{"input": map[string]any{}}} {
		if d := permission(t, session, args); d.Behavior != "deny" || d.Message == "" {
			t.Errorf("%v: %+v", args, d)
		}
	}
}

// Who does not ask for it does not have it.
func TestPermitIsNotForAll(t *testing.T) {
	list, err := inMemory(t, onBoard(newState())).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == task.ToolPermit }) {
		t.Error("it is offered")
	}
}
