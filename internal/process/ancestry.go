package process

import "slices"

// DoorEnv is the variable that leads an agent, and what it starts, to the agents' door of
// its session. Whoever has it is an agent's.
const DoorEnv = "MULLIGAN_DOOR"

// Names that keepers have in the list of processes. An agent cannot change its keeper's, so
// that whoever walks up from one of its processes meets agentComm.
const (
	keeperComm = "mulligan-keeper"
	agentComm  = "mulligan-agent"
)

// BelowAgent says whether this process was started by an agent of a session, and how that
// is known. Where the system does not tell who started whom, the environment alone does.
func BelowAgent(environ []string) (below bool, why string) {
	if value, _ := Lookup(environ, DoorEnv); value != "" {
		return true, DoorEnv + " is set, as it is for an agent of a session"
	}
	why = explainAncestry()
	return why != "", why
}

// agentVariables are what agents put into the environment of the commands that they run, by
// their makers' own word, whether a session started them or not.
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
	{"AI_AGENT", "an agent"}, // what several have agreed on
}

// AgentMarked says which agent has marked the environment, and with what; "" where none has.
func AgentMarked(environ []string) string {
	for _, mark := range agentVariables {
		value, _ := Lookup(environ, mark.name)
		if !slices.Contains([]string{"", "0", "false"}, value) {
			return mark.name + " is set, as " + mark.agent + " does for what it runs"
		}
	}
	return ""
}
