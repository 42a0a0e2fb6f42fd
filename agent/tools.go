package agent

import (
	"iter"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
)

// ToolServer is the name by which an agent's program knows the server of the session's tools.
const ToolServer = "mulligan"

// SessionTool returns which of the session's own tools a program means that names a server's tools as Claude Code
// does, and reports whether it means one.
func SessionTool(name string) (tool string, ok bool) {
	return strings.CutPrefix(name, "mcp__"+ToolServer+"__")
}

// ToolsWithin is how long an agent's program may wait for that server to start.
const ToolsWithin = 2 * time.Minute

// ToolProgram returns the program that serves the session's tools, and reports whether the turn
// has any.
func ToolProgram(t mulligan.Turn) (program string, ok bool) {
	program, found := process.Lookup(t.Env, "MULLIGAN")
	_, door := process.Lookup(t.Env, "MULLIGAN_DOOR")
	return program, found && door
}

// ToolEnv returns the variables by which mulligan knows itself, by name. A program that hands its
// tool servers hardly anything of its environment has to be given them.
func ToolEnv(env []string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, pair := range env {
			name, value, _ := strings.Cut(pair, "=")
			if (name == "MULLIGAN" || strings.HasPrefix(name, "MULLIGAN_")) && !yield(name, value) {
				return
			}
		}
	}
}
