package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// A commandEntry is a command below `mulligan`: the name that its constructor gives it, and the constructor.
type commandEntry struct {
	name      string
	construct func(*App) *cobra.Command
}

// A commandGroup is commands that the help lists together. Those without a title are listed last.
type commandGroup struct {
	title    string
	commands []commandEntry
}

// commandGroups returns every command below `mulligan`, except for those that cobra brings along.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"To begin:", []commandEntry{
			{"demo", newDemo}, {"init", newInit}, {"validate", newValidate}, {"doctor", newDoctor}, {"check", newCheck}, {"run", newRun}, {"loop", newLoop},
		}},
		{"To look on:", []commandEntry{
			{"attach", newAttach},
			{"ui", newUI},
			{"status", newStatus},
			{"sessions", newSessions},
			{"log", newLog},
			{"show", newShow},
			{"diff", newDiff},
			{"verify", newVerify},
			{"explain", newExplain},
			{"report", newReport},
			{"history", newHistory},
			{"insights", newInsights},
			{"metrics", newMetrics},
		}},
		{"To step in:", []commandEntry{
			{"tell", newTell},
			{"answer", newAnswer},
			{"pause", newPause},
			{"stop", newStop},
			{"resume", newResume},
			{"take", newTake},
			{"path", newPath},
			{"restore", newRestore},
			{"guard", newGuard},
			{"notify", newNotify},
		}},
		{"The agent's tools:", []commandEntry{
			{"task", newTask}, {"note", newNote}, {"ask", newAsk}, {"summary", newSummary}, {"complete", newComplete}, {"mcp", newMCP}, {hookName, newHook},
		}},
		{"", []commandEntry{
			{"export", newExport},
			{"journal", newJournal},
			{"prune", newPrune},
			{"trust", newTrust},
			{"prompt", newPrompt},
			{"distill", newDistill},
			{"config", newConfig},
			{"retry-config", newRetryConfig},
			{"schema", newSchema},
			{"version", newVersion},
		}},
	}
}

// selectCommands returns the groups of which commands are made for a command line: the one command alone
// that its first word names, since to make the others takes a good part of a short command's time. It
// returns all of them if the first word is none of their names: a flag, `help`, a completion, a mistake.
func selectCommands(args []string) (groups []commandGroup, alone bool) {
	all := commandGroups()
	if len(args) == 0 {
		return all, false
	}
	for _, group := range all {
		at := slices.IndexFunc(group.commands, func(c commandEntry) bool { return c.name == args[0] })
		if at >= 0 {
			return []commandGroup{{group.title, group.commands[at : at+1]}}, true
		}
	}
	return all, false
}

// addCommands adds to root the commands that a command line needs.
func (a *App) addCommands(root *cobra.Command, args []string) {
	groups, alone := selectCommands(args)
	for _, group := range groups {
		a.addGroup(root, group)
	}
	if alone {
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
	}
	for _, cmd := range root.Commands() {
		if cmd.HasSubCommands() || cmd.Name() == "help" {
			makeStrict(cmd)
		}
	}
}

// addGroup makes the commands of a group and adds them.
func (a *App) addGroup(root *cobra.Command, group commandGroup) {
	if group.title != "" {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
	}
	for _, entry := range group.commands {
		cmd := entry.construct(a)
		cmd.GroupID, cmd.Args = group.title, requireArgs(cmd.Args)
		root.AddCommand(cmd)
	}
}
