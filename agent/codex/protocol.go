package codex

import (
	"cmp"
	"encoding/json"
	"maps"

	"mulligan/agent"
)

// A message is one line of the exchange: a request or an answer, either way, or a notification.
// Codex leaves the version of JSON-RPC out.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

const (
	codeUnknownMethod = -32601
	codeOverloaded    = -32001
)

// The ids of our requests. There is one of each in a turn.
const (
	idInitialize = `1`
	idListHooks  = `2`
	idOpenThread = `3`
	idStartTurn  = `4`
	idInterrupt  = `5`
	idReadConfig = `6`
)

// unreadNotifications are the notifications that mulligan does not read; some are as large as the
// work.
var unreadNotifications = []string{
	"thread/started", "thread/status/changed", "turn/diff/updated", "item/reasoning/textDelta", "item/fileChange/outputDelta",
	"item/fileChange/patchUpdated", "skills/changed", "app/list/updated", "fs/changed",
}

func initializeParams() any {
	return map[string]any{
		"clientInfo":   map[string]any{"name": "mulligan", "title": "mulligan", "version": "1"},
		"capabilities": map[string]any{"optOutNotificationMethods": unreadNotifications},
	}
}

// threadParams returns how a thread is begun or resumed. The folder is the process's own: a thread
// that names one makes Codex write it into the user's config as trusted.
func (x *exchange) threadParams() map[string]any {
	approval, sandbox := permissionModes(x.agent.spec.Permissions)
	if x.turn.ReadOnly {
		approval, sandbox = "never", "read-only"
	}
	params := map[string]any{"approvalPolicy": approval, "sandbox": sandbox}
	if model := cmp.Or(x.turn.Model, x.agent.spec.Model); model != "" {
		params["model"] = model
	}
	if config := x.threadConfig(); len(config) > 0 {
		params["config"] = config
	}
	if x.turn.Conversation != "" {
		params["threadId"], params["excludeTurns"] = x.turn.Conversation, true
	}
	return params
}

// permissionModes returns mulligan's permissions in Codex's terms: what it asks about, and what its
// own sandbox lets it do.
func permissionModes(word string) (approval, sandbox string) {
	switch word {
	case "full":
		return "never", "danger-full-access"
	case "ask":
		return "on-request", "read-only"
	}
	return "never", "workspace-write"
}

// threadConfig returns the settings that this thread has over the user's config. They go through
// the pipe and not on the command line, where every user of the machine could read the door's
// token.
func (x *exchange) threadConfig() map[string]any {
	config := map[string]any{}
	if len(x.servers) > 0 {
		off := map[string]any{}
		for _, name := range x.servers {
			off[name] = map[string]any{"enabled": false}
		}
		config["mcp_servers"] = off // not by a key with dots: a name may have one itself
	}
	if program, ok := agent.ToolProgram(x.turn); ok && !x.turn.ReadOnly {
		config["mcp_servers."+agent.ToolServer] = map[string]any{
			"command": program, "args": []string{"mcp"}, "env": maps.Collect(agent.ToolEnv(x.env)),
			"default_tools_approval_mode": "approve",
			// Codex would not wait for the tools, and begin without them on a machine that is busy.
			"required": true, "startup_timeout_sec": agent.ToolsWithin.Seconds(),
		}
	}
	if len(x.trusted) > 0 {
		config["hooks.state"] = x.trusted
	}
	return config
}

// toolsFailedPrefix begins the error of version 0.166.0 for tools that did not start, which has no
// code of its own: the conversation is still there then.
const toolsFailedPrefix = "required MCP servers failed to initialize: "
