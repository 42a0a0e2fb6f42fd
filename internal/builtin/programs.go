package builtin

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"mulligan"
	"mulligan/internal/process"
)

// A Program is one that a built-in agent runs, and that is known to print its version without doing
// anything else.
type Program struct {
	Name    string // of its file
	Doc     string
	Tested  string // the version that mulligan is tested with; "" if it is tested with a stand-in
	Install string // what to do if it is not there
}

// Programs returns those of the built-in agents. The versions are those that test/agents pins.
func Programs() []Program {
	return []Program{
		{Name: "claude", Doc: "Claude Code", Tested: "2.1.325", Install: "npm install -g @anthropic-ai/claude-code"},
		{Name: "codex", Doc: "Codex", Tested: "0.166.0", Install: "npm install -g @openai/codex"},
		{Name: "gemini", Doc: "Gemini CLI", Tested: "0.61.0", Install: "npm install -g @google/gemini-cli"},
		{Name: "opencode", Doc: "opencode", Tested: "1.18.33", Install: "npm install -g opencode-ai"},
		{Name: "claude-agent-acp", Doc: "Claude Code over the Agent Client Protocol", Tested: "0.99.1", Install: "npm install -g @agentclientprotocol/claude-agent-acp"},
		{Name: "codex-acp", Doc: "Codex over the Agent Client Protocol", Tested: "2.6.0", Install: "npm install -g @agentclientprotocol/codex-acp"},
		{Name: "aider", Doc: "aider", Install: "python3 -m pip install aider-install && aider-install"},
	}
}

// FindProgram returns the known program of a path or a name, and reports whether there is one.
func FindProgram(path string) (Program, bool) {
	for _, p := range Programs() {
		if p.Name == filepath.Base(path) {
			return p, true
		}
	}
	return Program{}, false
}

// Exec returns the program that an agent runs and its first arguments, or nil if it runs none.
func Exec(spec mulligan.AgentSpec) []string {
	argv := decodeExecOption(spec.Options)
	if _, known := FindProgram(spec.Type); known && len(argv) == 0 {
		return []string{spec.Type}
	}
	return argv
}

// decodeExecOption returns the program that an agent's options name and its first arguments, or nil if they
// name none.
func decodeExecOption(options json.RawMessage) []string {
	var decoded struct {
		Exec []string `json:"exec"`
	}
	if len(options) == 0 || json.Unmarshal(options, &decoded) != nil {
		return nil
	}
	return decoded.Exec
}

// Env returns what an agent's program gets of an environment. known is false if it is not known what
// programs of its type get besides what all do.
func Env(spec mulligan.AgentSpec, environ []string) (env []string, known bool) {
	names := spec.Env
	for _, a := range Agents() {
		if a.Name == spec.Type && a.Env != nil {
			names, known = slices.Concat(a.Env(Exec(spec), environ), spec.Env), true
		}
	}
	return process.AgentEnv(environ, names, spec.InheritEnv), known || spec.InheritEnv
}
