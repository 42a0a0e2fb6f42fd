package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mulligan/agent"
	"mulligan/task"
)

// answerRequest answers a request of Codex: mostly whether the agent may do something.
func (x *exchange) answerRequest(m message) {
	switch m.Method {
	case "item/commandExecution/requestApproval":
		var p struct{ Command, Reason string }
		json.Unmarshal(m.Params, &p)
		if x.mayRun(p.Command) {
			x.sendResult(m.ID, map[string]any{"decision": "accept"})
			return
		}
		x.answerApproval(m.ID, "run "+p.Command+inParentheses(p.Reason), task.SameCommand(p.Command))
	case "item/fileChange/requestApproval":
		var p struct{ ItemID, Reason string }
		json.Unmarshal(m.Params, &p)
		what, diffs, _ := strings.Cut(cmp.Or(x.changes[p.ItemID], "change files"), "\n")
		x.answerApproval(m.ID, strings.TrimRight(what+inParentheses(p.Reason)+"\n"+diffs, "\n"), task.SameEdits)
	case "item/permissions/requestApproval":
		x.answerPermissions(m)
	case "mcpServer/elicitation/request":
		x.answerElicitation(m)
	default:
		x.send(message{ID: m.ID, Error: &wireError{Code: codeUnknownMethod, Message: "nobody is here to do that: " + m.Method}})
	}
}

// mayRun reports whether a command is one of the step's checks, and nothing else. Codex puts the shell that
// runs a command before it.
func (x *exchange) mayRun(command string) bool {
	return !x.turn.ReadOnly && x.agent.spec.Permissions == "edits" && x.isCheck(command)
}

func (x *exchange) isCheck(command string) bool {
	return slices.ContainsFunc(x.turn.Allowed, func(allowed string) bool { return agent.RunsExactly(command, allowed) })
}

// allowLine returns the line of config that would allow an item that was declined, or "" if only full permissions
// would.
func (x *exchange) allowLine(i item) string {
	if x.agent.spec.Permissions == "ask" && (i.Type == "fileChange" || x.isCheck(i.Command)) {
		return agent.AllowBy(x.agent.spec.Name, "edits")
	}
	return ""
}

// inParentheses returns a reason behind what it is for, or "" if there is none.
func inParentheses(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// answerApproval answers a request to run a command or to change files. What is declined is noted
// when the item has ended.
func (x *exchange) answerApproval(id json.RawMessage, what, same string) {
	x.decidePermission(what, same, func(allowed bool) {
		decision := "decline"
		if allowed {
			decision = "accept"
		}
		x.sendResult(id, map[string]any{"decision": decision})
	})
}

// answerPermissions answers a wish for more than the sandbox gives: all that was asked for, or
// nothing.
func (x *exchange) answerPermissions(m message) {
	var p struct {
		Permissions json.RawMessage `json:"permissions"`
		Reason      string          `json:"reason"`
	}
	json.Unmarshal(m.Params, &p)
	what := fmt.Sprintf("have the permissions %s%s", p.Permissions, inParentheses(p.Reason))
	x.decidePermission(what, "", func(allowed bool) {
		if !allowed {
			x.addDenied(what, "")
			p.Permissions = json.RawMessage("{}")
		}
		x.sendResult(m.ID, map[string]any{"permissions": p.Permissions, "scope": "turn"})
	})
}

// answerElicitation answers a tool server's question. The session's own tools are allowed. Those of
// another server are decided on if the question is only whether to allow a tool; a question that
// wants an answer is declined.
func (x *exchange) answerElicitation(m message) {
	var p struct {
		ServerName string
		Message    string
		Meta       struct {
			Approval string `json:"codex_approval_kind"`
		} `json:"_meta"`
	}
	json.Unmarshal(m.Params, &p)
	answer := func(allowed bool) {
		if !allowed {
			x.addDenied("use tools of "+p.ServerName, "")
			x.sendResult(m.ID, map[string]any{"action": "decline", "content": nil})
			return
		}
		x.sendResult(m.ID, map[string]any{"action": "accept", "content": map[string]any{}})
	}
	switch {
	case p.ServerName == agent.ToolServer && !x.turn.ReadOnly:
		answer(true)
	case p.Meta.Approval == "":
		answer(false)
	default:
		x.decidePermission(p.Message, "", answer)
	}
}

// decidePermission decides by the agent's permissions: everything, nothing that has to be asked
// for, or what a person allows. It may call answer after it has returned, on another goroutine.
func (x *exchange) decidePermission(what, same string, answer func(allowed bool)) {
	switch permissions := x.agent.spec.Permissions; {
	case x.turn.ReadOnly:
		answer(false)
	case permissions == "full":
		answer(true)
	case permissions == "ask":
		x.permit(strings.TrimSpace(what), same, answer)
	default:
		answer(false)
	}
}

// sendResult answers a request of Codex.
func (x *exchange) sendResult(id json.RawMessage, result any) {
	x.send(message{ID: id, Result: marshal(result)})
}
