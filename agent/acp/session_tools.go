package acp

import (
	"encoding/json"
	"fmt"

	protocol "github.com/coder/acp-go-sdk"

	"mulligan/agent"
	"mulligan/task"
)

// toolTitles are the forms in which agents show a server's tools.
var toolTitles = []string{"mcp__%s__%s", "mcp_%s_%s", "%s_%s", "%s.%s", "Tool: %s/%s", "%[2]s (%[1]s MCP Server)"}

// sessionTool returns which of the session's own tools a call is of, or "" if it is of another. The whole title has
// to be in one of the forms. What runs a command is never one: some agents show a command as its title, and a
// command may have any name.
func (c toolCall) sessionTool() string {
	if c.command != "" {
		return ""
	}
	for _, t := range task.Tools() {
		if c.Title == fmt.Sprintf("mcp.%s.%s", agent.ToolServer, t.Name) && c.mcp == (mcpTool{agent.ToolServer, t.Name}) {
			return t.Name
		}
		for _, form := range toolTitles {
			if c.Kind != string(protocol.ToolKindExecute) && c.Title == fmt.Sprintf(form, agent.ToolServer, t.Name) {
				return t.Name
			}
		}
	}
	return ""
}

// An mcpTool is a server's tool, as codex-acp reports it in the input of a call of the kind of commands.
type mcpTool struct {
	Server string `json:"server"`
	Name   string `json:"tool"`
}

// ownSubject returns what one of the session's own tools is used on.
func ownSubject(input json.RawMessage) string {
	var codex struct {
		mcpTool
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(input, &codex) == nil && codex.Server != "" && len(codex.Arguments) > 0 {
		input = codex.Arguments
	}
	return agent.CallSubject(input)
}
