package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
)

// forAgents are the commands that an agent may give: its own, which go through the agents' door, and
// those that read nothing but their arguments.
var forAgents = []string{
	"mulligan", "task", "note", "ask", "complete", "summary", "mcp", "hook",
	"validate", "schema", "distill", "version", "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd,
}

// forPeople are the commands by which a person decides, or ends or deletes something. They are refused
// also to an agent that no session started and that has marked its environment. Such an agent may run
// and watch sessions: a person may have asked it to.
var forPeople = []string{
	"answer", "tell", "pause", "stop", "take", "prune", "journal repair",
	"guard install", "guard uninstall", "guard on", "guard off", "guard release", "guard approve",
	"retry-config set", "retry-config reset", "trust", "ui", "notify",
}

// forCommands are the commands that a check or a hook of a session may give besides: its session's door
// decides what they may do there.
var forCommands = []string{"status", "log"}

// checkAccess refuses a command that is not for the caller. It is the only place that does.
func (a *App) checkAccess(cmd *cobra.Command, _ []string) error {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	first, _, _ := strings.Cut(path, " ")
	if slices.Contains(forAgents, first) {
		return nil
	}
	switch caller := a.identifyCaller(); caller.Role {
	case process.RoleAgent:
		return usererror.Usage(
			fmt.Sprintf("`mulligan %s` is not for agents, and this one was given below an agent (%s)", path, caller.Why),
			"an agent has `mulligan task`, `note`, `summary`, `ask` and `complete`, also as tools over MCP; `mulligan ask` puts a question to the person",
		)
	case process.RoleCheck, process.RoleHook:
		if slices.Contains(forCommands, path) {
			return nil
		}
		return usererror.Usage(
			fmt.Sprintf("`mulligan %s` is a person's, and this one was given below %s of a session (%s), which may run what the agent wrote", path, caller.Role, caller.Why),
			"a check or hook has `mulligan status`, `log`, `task list` and `note list`, a hook also `task add` and `note add`; with a state folder of its own (XDG_STATE_HOME) mulligan can be tested here",
		)
	case process.RoleNone:
	}
	switch {
	case slices.Contains(forPeople, path):
	case cmd.Flags().Changed(yesRollback):
		path += " --" + yesRollback
	case cmd.Flags().Changed(trustFlag):
		path += " --" + trustFlag
	case cmd.Flags().Lookup(trustFlag) != nil && a.Getenv(environ.TrustVariable) != "":
		path += "` with `" + environ.TrustVariable
	default:
		return nil
	}
	if mark := process.AgentMarked(a.Environ); mark != "" {
		return usererror.Usage(
			fmt.Sprintf("`mulligan %s` speaks for a person, and an agent gave it (%s)", path, mark),
			"a person gives it in a terminal that no agent has started",
		)
	}
	return nil
}
