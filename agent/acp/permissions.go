package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"mulligan/agent"
	"mulligan/internal/text"
	"mulligan/task"
)

// A toolCall is what is known of a tool that the agent uses or wants to use.
type toolCall struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	Kind      string          `json:"kind"`
	Input     json.RawMessage `json:"rawInput"` // the agent's own; not kept
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"` // not kept

	subject string // what the tool is used on, as far as that is known
	command string // what it runs; "" if it runs none, or one that is too long
	shown   bool   // the log has it
}

// maxCommand is how many bytes of a command are kept.
const maxCommand = 8 << 10

// withUpdate returns the call with the fields of an update.
func (c toolCall) withUpdate(u toolCall) toolCall {
	n := toolCall{
		ID: c.ID, Title: cmp.Or(u.Title, c.Title), Kind: cmp.Or(u.Kind, c.Kind),
		subject: cmp.Or(u.subject, c.subject), command: cmp.Or(u.command, c.command), shown: c.shown || u.shown,
	}
	if len(u.Input) > 0 {
		n.subject = cmp.Or(text.Clip(agent.CallTarget(u.Input), maxCommand/8), n.subject)
		if command := agent.CallCommand(u.Input); len(command) > maxCommand {
			n.command = ""
		} else if command != "" {
			n.command = command
		}
	}
	if n.subject == "" && len(u.Locations) > 0 {
		n.subject = text.Clip(u.Locations[0].Path, maxCommand/8)
	}
	return n
}

func (c toolCall) String() string {
	name := strings.TrimSpace(cmp.Or(c.Kind, "use") + ": " + cmp.Or(c.Title, c.ID))
	if c.subject == "" || strings.Contains(name, c.subject) {
		return name
	}
	return name + ": " + c.subject
}

// answerRequest answers a request of the agent. Every request has to be answered: an agent that
// waits does not work.
func (x *exchange) answerRequest(ctx context.Context, method string, params json.RawMessage) (any, *protocol.RequestError) {
	if method != protocol.ClientMethodSessionRequestPermission {
		return nil, protocol.NewMethodNotFound(method)
	}
	var p struct {
		Call    toolCall `json:"toolCall"`
		Options []option `json:"options"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, protocol.NewInvalidParams(err.Error())
	}
	call := x.recordCall(p.Call)
	allowed := x.isAllowed(ctx, call)
	if !allowed {
		x.mu.Lock()
		x.denied = append(x.denied, call.String())
		x.mu.Unlock()
		x.log.line("[denied] %s", call)
	}
	return chooseOption(p.Options, allowed), nil
}

// An option is one of the answers that the agent takes.
type option struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

// chooseOption chooses by kind: ids and their order are the agent's own. Once goes before always,
// so that every use is asked about.
func chooseOption(options []option, allowed bool) any {
	kinds := []protocol.PermissionOptionKind{protocol.PermissionOptionKindRejectOnce, protocol.PermissionOptionKindRejectAlways}
	if allowed {
		kinds = []protocol.PermissionOptionKind{protocol.PermissionOptionKindAllowOnce, protocol.PermissionOptionKindAllowAlways}
	}
	for _, kind := range kinds {
		for _, o := range options {
			if o.Kind == string(kind) {
				return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": o.ID}}
			}
		}
	}
	return map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}
}

// isAllowed decides by the agent's permissions: everything, what changes no more than files, or
// what a person allows. The session's own tools are always allowed; in a read-only turn nothing is.
func (x *exchange) isAllowed(ctx context.Context, call toolCall) bool {
	switch permissions := x.agent.spec.Permissions; {
	case x.turn.ReadOnly:
		return false
	case permissions == "full", isSessionTool(call):
		return true
	case permissions == "edits" && call.command != "" && x.isCheck(call.command):
		return true
	case permissions == "ask":
		return x.agent.deps.Permit(ctx, x.turn, call.String(), call.same())
	}
	switch protocol.ToolKind(call.Kind) {
	case protocol.ToolKindRead, protocol.ToolKindSearch, protocol.ToolKindThink, protocol.ToolKindEdit, protocol.ToolKindMove, protocol.ToolKindDelete:
		return true
	}
	return false
}

// same returns what a person allows who allows the same for the rest of the session, or "" if that is not
// to be chosen.
func (c toolCall) same() string {
	switch protocol.ToolKind(c.Kind) {
	case protocol.ToolKindEdit:
		return task.SameEdits
	case protocol.ToolKindExecute:
		return task.SameCommand(c.command)
	}
	return ""
}

// isCheck reports whether a command is one of the step's checks, and nothing else.
func (x *exchange) isCheck(command string) bool {
	return slices.ContainsFunc(x.turn.Allowed, func(allowed string) bool { return agent.RunsExactly(command, allowed) })
}

// recordCall puts the fields of a request over what is known of its tool call, and returns the
// call. A call that is not known yet is logged.
func (x *exchange) recordCall(call toolCall) toolCall {
	x.mu.Lock()
	defer x.mu.Unlock()
	before, known := x.calls[call.ID]
	if !known {
		before.ID = call.ID
		x.log.endMessage()
	}
	call = before.withUpdate(call)
	if !call.shown {
		call.shown = true
		x.log.call(call)
	}
	x.calls[call.ID] = call
	return call
}

func (x *exchange) deniedCalls() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.agent.deps.CleanAll(x.denied)
}

// isSessionTool reports whether a call is of the session's own tools: agents show a server's tools
// in one of a few forms, and the whole title has to be one of them.
func isSessionTool(call toolCall) bool {
	for _, t := range task.Tools() {
		for _, form := range []string{"mcp__%s__%s", "mcp_%s_%s", "%s_%s", "%s.%s", "%s/%s", "Tool: %s/%s", "%[2]s (%[1]s MCP Server)"} {
			if call.Title == fmt.Sprintf(form, agent.ToolServer, t.Name) {
				return true
			}
		}
	}
	return false
}
