package codex

import (
	"encoding/json"
	"fmt"
	"strings"

	"mulligan/agent"
)

// answerRequest answers what Codex asks of us: mostly whether it may.
func (x *exchange) answerRequest(m message) {
	switch m.Method {
	case "item/commandExecution/requestApproval":
		var p struct{ Command, Reason string }
		json.Unmarshal(m.Params, &p)
		x.answerApproval(m.ID, "run "+p.Command+inParentheses(p.Reason))
	case "item/fileChange/requestApproval":
		var p struct{ ItemID, Reason string }
		json.Unmarshal(m.Params, &p)
		x.answerApproval(m.ID, "change "+x.changes[p.ItemID]+inParentheses(p.Reason))
	case "item/permissions/requestApproval":
		x.answerPermissions(m)
	case "mcpServer/elicitation/request":
		x.answerElicitation(m)
	default:
		x.send(message{ID: m.ID, Error: &wireError{Code: codeUnknownMethod, Message: "nobody is here to do that: " + m.Method}})
	}
}

func inParentheses(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// answerApproval answers a command or a change of files. What is declined is told of when the item
// is over.
func (x *exchange) answerApproval(id json.RawMessage, what string) {
	x.decidePermission(what, func(allowed bool) {
		decision := "decline"
		if allowed {
			decision = "accept"
		}
		x.sendResult(id, map[string]any{"decision": decision})
	})
}

// answerPermissions answers a wish for more than the sandbox gives: all that was asked for, or nothing.
func (x *exchange) answerPermissions(m message) {
	var p struct {
		Permissions json.RawMessage `json:"permissions"`
		Reason      string          `json:"reason"`
	}
	json.Unmarshal(m.Params, &p)
	what := fmt.Sprintf("have the permissions %s%s", p.Permissions, inParentheses(p.Reason))
	x.decidePermission(what, func(allowed bool) {
		if !allowed {
			x.addDenied(what)
			p.Permissions = json.RawMessage("{}")
		}
		x.sendResult(m.ID, map[string]any{"permissions": p.Permissions, "scope": "turn"})
	})
}

// answerElicitation answers a tool server's question. The session's own tools are allowed; another's
// are where the tool only wants to be allowed, and questions with an answer have none here.
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
			x.addDenied("use tools of " + p.ServerName)
			x.sendResult(m.ID, map[string]any{"action": "decline", "content": nil})
			return
		}
		x.sendResult(m.ID, map[string]any{"action": "accept", "content": map[string]any{}})
	}
	switch {
	case p.ServerName == agent.ToolServer:
		answer(true)
	case p.Meta.Approval == "":
		answer(false)
	default:
		x.decidePermission(p.Message, answer)
	}
}

// decidePermission answers by the agent's permissions: all, nothing that has to be asked for, or what a
// person allows.
func (x *exchange) decidePermission(what string, answer func(allowed bool)) {
	switch x.agent.spec.Permissions {
	case "full":
		answer(true)
	case "ask":
		x.permit(strings.TrimSpace(what), answer)
	default:
		answer(false)
	}
}

func (x *exchange) sendResult(id json.RawMessage, result any) {
	x.send(message{ID: id, Result: marshal(result)})
}
