package codex

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mulligan/agent"
)

// Has reports whether Codex has hooks at a moment. Codex ignores an unknown moment in silence.
func Has(event string) bool {
	return slices.Contains([]string{
		"PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "SessionEnd",
		"UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt", "PreModelRequest", "PostModelRequest",
	}, event)
}

// hookArgs returns hooks as settings of this process alone: no file of the user's or the project's
// is changed.
func hookArgs(hooks []agent.Hook) []string {
	groups := map[string][]string{}
	for _, h := range hooks {
		groups[h.Event] = append(groups[h.Event], hookTOML(h))
	}
	var args []string
	for _, event := range slices.Sorted(maps.Keys(groups)) {
		args = append(args, "-c", fmt.Sprintf("hooks.%s=[%s]", event, strings.Join(groups[event], ",")))
	}
	return args
}

// hookTOML returns a hook in Codex's form, which is Claude Code's in TOML.
func hookTOML(h agent.Hook) string {
	command := `type="command",command=` + quoteTOML(h.Command())
	if h.Timeout > 0 {
		command += fmt.Sprintf(",timeout=%d", int(math.Ceil(h.Timeout.Seconds())))
	}
	return fmt.Sprintf("{matcher=%s,hooks=[{%s}]}", quoteTOML(h.Matcher), command)
}

// quoteTOML returns a string of TOML, which reads those of JSON.
func quoteTOML(s string) string {
	text, _ := json.Marshal(s) // a string always marshals
	return strings.ReplaceAll(string(text), "\x7f", `\u007f`)
}

// A hookTrust makes Codex run a hook that it has never asked the user about.
type hookTrust struct {
	Hash string `json:"trusted_hash"`
}

// findOwnHooks returns our own hooks in the list of all: those of the command line.
func findOwnHooks(list json.RawMessage) map[string]hookTrust {
	var known struct {
		Data []struct {
			Hooks []struct {
				Key    string `json:"key"`
				Source string `json:"source"`
				Hash   string `json:"currentHash"`
			} `json:"hooks"`
		} `json:"data"`
	}
	json.Unmarshal(list, &known) // what cannot be read is not trusted
	ours := map[string]hookTrust{}
	for _, folder := range known.Data {
		for _, h := range folder.Hooks {
			if h.Source == "sessionFlags" && h.Hash != "" {
				ours[h.Key] = hookTrust{Hash: h.Hash}
			}
		}
	}
	return ours
}
