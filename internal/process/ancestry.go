package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// Variables by which a session marks the environment of its children. What a process takes out of its
// environment it is still known by where the system tells ancestors.
const (
	// DoorEnv tells an agent, a check or a hook, and the processes that it starts, where the door of its
	// session is.
	DoorEnv = "MULLIGAN_DOOR"
	// BelowEnv tells what the child is: its role, and for a check or hook the state folder of its session.
	// A process that has DoorEnv and no BelowEnv is an agent's.
	BelowEnv = "MULLIGAN_BELOW"
)

// A Caller is what is known of where a process comes from.
type Caller struct {
	Role Role   // RoleNone for a person's process
	Why  string // how the role is known
}

// IdentifySelf returns what an agent, a check or a hook of a session means to this process. Checks and hooks
// count only if their session keeps its state in the folder state, or if state is "": below the tests of a
// project another mulligan may run with another state folder. An agent counts for every folder. On a system
// that does not tell a process's ancestors the environment alone is looked at.
func IdentifySelf(environ []string, state string) Caller {
	folder := identifyFolder(state)
	byEnv := identifyByEnv(environ, folder)
	if byEnv.Role == RoleAgent {
		return byEnv
	}
	if byAncestry := identifyByAncestry(folder); byAncestry.Role != RoleNone {
		return byAncestry
	}
	return byEnv
}

// BelowMark returns the variable that tells a child of a session what it is, as NAME=value.
func BelowMark(role Role, state string) string {
	return BelowEnv + "=" + strings.Join(append([]string{string(role)}, identifyFolder(state).words()...), " ")
}

// identifyByEnv returns the role that the environment of a process tells.
func identifyByEnv(environ []string, folder folderID) Caller {
	if door, _ := Lookup(environ, DoorEnv); door == "" {
		return Caller{}
	}
	mark, _ := Lookup(environ, BelowEnv)
	name, rest, _ := strings.Cut(mark, " ")
	role := Role(name)
	if role != RoleCheck && role != RoleHook {
		return Caller{RoleAgent, DoorEnv + " is set, as it is for an agent of a session"}
	}
	key, path, _ := strings.Cut(rest, " ")
	if !folder.matches(folderID{key, path}) {
		return Caller{}
	}
	return Caller{role, BelowEnv + " is set, as it is for " + role.String() + " of a session"}
}

// A folderID tells a folder from others, by its path and by what the system knows it by. The zero value
// stands for every folder.
type folderID struct {
	key  string // "" if the system does not tell
	path string
}

// identifyFolder returns the id of a folder, which need not be there. "" stands for every folder.
func identifyFolder(dir string) folderID {
	if dir == "" {
		return folderID{}
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return folderID{key: folderKey(dir), path: dir}
}

// words returns the id as arguments of a keeper.
func (f folderID) words() []string {
	if f == (folderID{}) {
		return nil
	}
	return []string{f.key, f.path}
}

// matches reports whether both ids may be of one folder. One that was moved has its key still, and one that
// was put into its place the path.
func (f folderID) matches(g folderID) bool {
	return f == (folderID{}) || g == (folderID{}) || f.path == g.path || f.key != "" && f.key == g.key
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
