package claude

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"
	"time"

	"mulligan/agent"
	"mulligan/internal/process"
	"mulligan/task"
)

// toolPrefix begins the names of the session's tools in the program: mcp__mulligan__task_add …
const toolPrefix = "mcp__" + agent.ToolServer + "__"

// callTime is the longest that the program takes: a person's answer may take as long as a person
// does, and without it the program gives up a call that is silent for half an hour.
const callTime = math.MaxInt32 // milliseconds

// toolFlags hands the session's tools over, and allows them. The program fills in the variables
// itself, so that no token is in a command line; nothing is written to the project.
func (a *Agent) toolFlags(env []string) []string {
	if _, ok := process.Lookup(env, "MULLIGAN_DOOR"); !ok {
		return nil
	}
	own := map[string]string{}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		own[name] = "${" + name + "}"
	}
	command := []string{"mcp"}
	args := []string{"--allowedTools=" + toolPrefix + "*"}
	if a.spec.Permissions == "ask" {
		command = append(command, "--permit")
		// With a person to ask the program has tools that ask by themselves, and a mode that only a
		// person can end. Questions go by our own tool, which does not wait for ever.
		// The program keeps the tool by which it asks from the model.
		args = append(args, "--permission-prompt-tool", toolPrefix+task.ToolPermit, "--disallowedTools=AskUserQuestion,EnterPlanMode,ExitPlanMode")
	}
	config := encode(map[string]any{"mcpServers": map[string]any{agent.ToolServer: map[string]any{
		"type": "stdio", "command": "${MULLIGAN}", "args": command, "env": own, "timeout": callTime,
	}}})
	return append(args, "--mcp-config="+config)
}

type (
	hookGroup struct {
		Matcher string        `json:"matcher,omitempty"`
		Hooks   []hookCommand `json:"hooks"`
	}
	hookCommand struct {
		Type    string  `json:"type"`
		Command string  `json:"command"`
		Timeout float64 `json:"timeout,omitempty"` // seconds
	}
)

// settingsFlags returns the settings that the program gets besides its own files. allowed are the commands
// that the agent may run.
func (a *Agent) settingsFlags(allowed []string) []string {
	said := map[string]any{}
	if rules := bashRules(allowed); len(rules) > 0 && a.spec.Permissions == "edits" {
		said["permissions"] = map[string]any{"allow": rules}
	}
	if a.opt.OwnHooksOff {
		said["disableAllHooks"] = true
	}
	if len(a.opt.Hooks) > 0 {
		said["hooks"] = hookGroups(a.opt.Hooks)
	}
	if len(said) == 0 {
		return nil
	}
	return []string{"--settings", encode(said)}
}

// bashRules returns the rules that allow commands, each by itself. A command that a rule cannot name
// exactly has none: in a rule an asterisk stands for anything, and parentheses and line ends end it.
func bashRules(commands []string) []string {
	var rules []string
	for _, command := range commands {
		if command = strings.TrimSpace(command); command != "" && !strings.ContainsAny(command, "*()\\\n\r") {
			rules = append(rules, "Bash("+command+")")
		}
	}
	return rules
}

// hookGroups returns the hooks by which the program calls mulligan. The program lets the agent
// continue when a hook cannot start, breaks or takes too long: so what breaks is made a denial, and
// mulligan's own limits are the shorter ones.
func hookGroups(hooks []agent.Hook) map[string][]hookGroup {
	groups := map[string][]hookGroup{}
	for _, h := range hooks {
		groups[h.Event] = append(groups[h.Event], hookGroup{Matcher: h.Matcher, Hooks: []hookCommand{{
			Type: "command", Command: h.Command(),
			Timeout: (cmp.Or(h.Timeout, hookLimit) + hookMargin).Seconds(),
		}}})
	}
	return groups
}

const (
	hookLimit  = 10 * time.Minute // of a hook that has none
	hookMargin = time.Minute
)

// encode returns v as JSON. It cannot fail: v consists of words and numbers.
func encode(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
