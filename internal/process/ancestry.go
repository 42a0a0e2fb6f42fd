package process

import "slices"

// DoorEnv is the variable that tells an agent, and the processes that it starts, where the agents'
// socket of its session is. A process that has it is an agent's.
const DoorEnv = "MULLIGAN_DOOR"

// Names of keepers in the list of processes. An agent cannot change its keeper's name, so that the
// ancestors of each of its processes include one that is named agentComm.
const (
	keeperComm = "mulligan-keeper"
	agentComm  = "mulligan-agent"
)

// BelowAgent reports whether an agent of a session started this process, and how that is known. On a
// system that does not tell a process's ancestors it looks at the environment only.
func BelowAgent(environ []string) (below bool, why string) {
	if value, _ := Lookup(environ, DoorEnv); value != "" {
		return true, DoorEnv + " is set, as it is for an agent of a session"
	}
	why = explainAncestry()
	return why != "", why
}

// agentVariables lists the variables that agents document to set for the commands that they run,
// whether a session started the agent or not.
var agentVariables = []struct{ name, agent string }{
	{"CLAUDECODE", "Claude Code"},
	{"CLAUDE_CODE_ENTRYPOINT", "Claude Code"},
	{"CODEX_SANDBOX", "Codex"},
	{"CODEX_THREAD_ID", "Codex"},
	{"GEMINI_CLI", "Gemini CLI"},
	{"OPENCODE", "OpenCode"},
	{"CURSOR_AGENT", "Cursor"},
	{"CLINE_ACTIVE", "Cline"},
	{"AUGMENT_AGENT", "Augment"},
	{"AI_AGENT", "an agent"}, // shared by several
}

// AgentMarked returns a sentence that names the agent which has marked the environment and its variable,
// or "" if none has.
func AgentMarked(environ []string) string {
	for _, mark := range agentVariables {
		value, _ := Lookup(environ, mark.name)
		if !slices.Contains([]string{"", "0", "false"}, value) {
			return mark.name + " is set, as " + mark.agent + " does for what it runs"
		}
	}
	return ""
}
