package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mulligan/internal/process"
)

// server is the name of our tools in the program: mcp__mulligan__task_add …
const server = "mulligan"

// tools hands the session's tools over, and allows them. The program fills in the variables
// itself, so that no token stands in a command line; nothing is written to the project.
func tools(env []string) []string {
	if _, ok := process.Lookup(env, "MULLIGAN_DOOR"); !ok {
		return nil
	}
	own := map[string]string{}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		own[name] = "${" + name + "}"
	}
	config := encode(map[string]any{"mcpServers": map[string]any{server: map[string]any{
		"type": "stdio", "command": "${MULLIGAN}", "args": []string{"mcp"}, "env": own,
	}}})
	return []string{"--mcp-config=" + config, "--allowedTools=mcp__" + server + "__*"}
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

// settings are what the program is told besides its own files.
func (a *Agent) settings() []string {
	said := map[string]any{}
	if a.opt.OwnHooksOff {
		said["disableAllHooks"] = true
	}
	if len(a.opt.Hooks) > 0 {
		said["hooks"] = inside(a.opt.Hooks)
	}
	if len(said) == 0 {
		return nil
	}
	return []string{"--settings", encode(said)}
}

// inside has mulligan called at the moments. The program lets the agent go on when a hook cannot
// start, breaks or takes too long: so what breaks is made a denial, and the hooks' own limits
// come first.
func inside(hooks []Hook) map[string][]hookGroup {
	groups := map[string][]hookGroup{}
	for _, h := range hooks {
		groups[h.Event] = append(groups[h.Event], hookGroup{Matcher: h.Matcher, Hooks: []hookCommand{{
			Type: "command", Command: fmt.Sprintf(`"$MULLIGAN" hook %s || exit 2`, h.Event),
			Timeout: (cmp.Or(h.Timeout, hookLimit) + hookMargin).Seconds(),
		}}})
	}
	return groups
}

const (
	hookLimit  = 10 * time.Minute // of a hook that has none
	hookMargin = time.Minute
)

// encode cannot fail: it is given words and numbers.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
