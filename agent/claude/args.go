package claude

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/agent"
)

// commandLine returns the command line of a turn. The prompt is not part of it: a command line has
// a limit, and every user of the machine can read it. A flag that takes many values has them behind
// an equals sign, so that it does not take what follows.
func (a *Agent) commandLine(t mulligan.Turn, talk conversation) []string {
	args := []string{
		"--print", "--output-format", "stream-json", "--verbose",
		// an agent in the middle of a long answer is then not silent
		"--include-partial-messages",
	}
	if t.ReadOnly {
		args = slices.Concat(args, talk.flags(), readOnlyFlags())
	} else {
		args = slices.Concat(args, talk.flags(), permissionFlags(a.spec.Permissions))
	}
	if model := cmp.Or(t.Model, a.spec.Model); model != "" {
		args = append(args, "--model", model)
	}
	if a.spec.MaxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(a.spec.MaxTurns))
	}
	if t.BudgetUSD > 0 {
		// the program holds it for this process alone, whatever the conversation has cost before
		args = append(args, "--max-budget-usd", strconv.FormatFloat(t.BudgetUSD, 'f', -1, 64))
	}
	if t.ReadOnly {
		return slices.Concat(a.opt.Exec, args) // the config's own arguments may give tools
	}
	return slices.Concat(a.opt.Exec, args, a.toolFlags(t.Env), a.settingsFlags(t.Allowed), a.spec.Args)
}

// readOnlyFlags returns the flags of a turn that only answers: without tools, the program's own and
// those of servers, without hooks and skills, and without a record that a later turn could resume.
// Reading is denied besides, because the program itself reads files that a prompt mentions.
func readOnlyFlags() []string {
	return []string{
		"--permission-mode", "default", "--tools=", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence",
		"--settings", encode(map[string]any{"disableAllHooks": true, "permissions": map[string]any{"deny": []string{"Read"}}}),
	}
}

// permissionFlags returns the permissions in the program's own terms. The tool by which the program
// asks is among the flags of the session's tools; without them, what the program would ask about is
// denied, and is among the denials of its result.
func permissionFlags(what string) []string {
	switch what {
	case "full":
		return []string{"--dangerously-skip-permissions"}
	case "ask":
		return []string{"--permission-mode", "default"}
	}
	return []string{"--permission-mode", "acceptEdits"}
}

// reservedFlags are the flags that are not for a config's args, and what to use instead. A flag
// with nothing to use instead makes no sense in a turn.
var reservedFlags = map[string]string{
	"-p": "", "--print": "", "--output-format": "", "--input-format": "", "--verbose": "",
	"--include-partial-messages": "", "--replay-user-messages": "", "--no-session-persistence": "",
	"--session-id": "", "-r": "", "--resume": "", "-c": "", "--continue": "", "--fork-session": "", "--from-pr": "",
	"--dangerously-skip-permissions": "permissions", "--allow-dangerously-skip-permissions": "permissions",
	"--permission-mode": "permissions", "--permission-prompts": "permissions", "--permission-prompt-tool": "permissions",
	"--model": "model", "--max-turns": "max_turns", "--max-budget-usd": "limits.cost_usd",
	"--settings": "the project's .claude/settings.json",
	"--bg":       "", "--background": "", "--cloud": "", "--environment": "", "--teleport": "", "--desktop": "", "--remote-control": "",
	"-w": "", "--worktree": "", "--tmux": "",
	"-h": "", "--help": "", "-v": "", "--version": "",
}

// Taken returns why an argument is not for a config's args, or "" if it is.
func Taken(arg string) string {
	if why := agent.ReservedArg(arg, reservedFlags); why != "" {
		return why
	}
	if flag, _, _ := strings.Cut(arg, "="); len(flag) > 2 && flag[0] == '-' && flag[1] != '-' {
		return fmt.Sprintf("%s: write flags of one letter each by itself", flag)
	}
	return ""
}
