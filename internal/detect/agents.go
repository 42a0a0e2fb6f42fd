package detect

import "mulligan/internal/process"

// AgentNames returns the built-in agents in the order in which one is chosen. Each is the name of its program
// too.
func AgentNames() []string { return []string{"claude", "codex", "gemini", "opencode", "aider"} }

// Agents returns those of AgentNames whose programs are installed.
func Agents(dir string, environ []string) []string {
	var names []string
	for _, name := range AgentNames() {
		if _, err := process.Find(name, dir, environ); err == nil {
			names = append(names, name)
		}
	}
	return names
}
