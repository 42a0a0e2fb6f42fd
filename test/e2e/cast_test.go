package e2e

import (
	"fmt"
	"testing"

	"mulligan/test/modeltest"
)

// An actor is an agent program, and how its model works with it.
type actor struct {
	program string // of modeltest's
	kind    string // the agent's type; the program's name where it is empty
	args    []string
	env     string // a name of what it needs besides what such a program gets

	runs   func(command string) modeltest.Turn                    // by its shell
	writes func(path, text string) modeltest.Turn                 // a file, without one
	uses   func(tool string, input map[string]any) modeltest.Turn // one of the session's

	// forgetful programs lose a conversation that is brought back in the minute in which it
	// began (Gemini CLI 0.61).
	forgetful bool
}

// cast are all the programs. Where one cannot show what the others do, the test says what it
// does instead.
var cast = map[string]actor{
	"claude": claude,
	"codex":  codex,
	"gemini": {
		program: "gemini", kind: "acp", args: []string{"--acp"}, forgetful: true,
		runs: func(command string) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "run_shell_command", Input: object{"command": command}})
		},
		writes: func(path, text string) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "write_file", Input: object{"file_path": path, "content": text}})
		},
		uses: func(tool string, input map[string]any) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "mcp_mulligan_" + tool, Input: input})
		},
	},
	"opencode": {
		// without it the program would install packages at its start, and wait for them
		program: "opencode", kind: "acp", args: []string{"acp"}, env: "npm_config_offline",
		runs: func(command string) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "bash", Input: object{"command": command, "description": "do it"}})
		},
		writes: func(path, text string) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "write", Input: object{"filePath": path, "content": text}})
		},
		uses: func(tool string, input map[string]any) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "mulligan_" + tool, Input: input})
		},
	},
	"claude-acp": claude.over("claude-agent-acp"),
	"codex-acp":  codex.over("codex-acp"),
}

var claude = actor{
	program: "claude",
	runs: func(command string) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: "Bash", Input: object{"command": command, "description": "do it"}})
	},
	writes: func(path, text string) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: "Write", Input: object{"file_path": path, "content": text}})
	},
	uses: func(tool string, input map[string]any) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: "mcp__mulligan__" + tool, Input: input})
	},
}

var codex = actor{
	program: "codex",
	runs: func(command string) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: "exec_command", Input: object{"cmd": command}})
	},
	writes: func(path, text string) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: "apply_patch", Free: fmt.Sprintf("*** Begin Patch\n*** Add File: %s\n+%s*** End Patch\n", path, text)})
	},
	uses: func(tool string, input map[string]any) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: tool, Namespace: "mcp__mulligan", Input: input})
	},
}

// over is the same program behind one that speaks ACP for it.
func (a actor) over(program string) actor {
	a.program, a.kind = program, "acp"
	return a
}

type object = map[string]any

// with runs a test with each of some programs, beside all others.
func with(t *testing.T, names []string, test func(t *testing.T, name string)) {
	t.Helper()
	t.Parallel()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, name)
		})
	}
}
