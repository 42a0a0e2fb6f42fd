package claude

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mulligan/agent"
	"mulligan/task"
)

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// allowLine returns the line of config that would allow the use of a tool and the least besides, or "" if only full
// permissions would. checks are the commands of the step's checks.
func (a *Agent) allowLine(checks []string, tool string, input json.RawMessage) string {
	command := strings.TrimSpace(agent.CallCommand(input))
	isCheck := tool == "Bash" && slices.ContainsFunc(checks, func(c string) bool { return strings.TrimSpace(c) == command })
	switch {
	case a.spec.Permissions == "ask" && (task.SameUse(tool, input) == task.SameEdits || isCheck && len(bashRules([]string{command})) > 0):
		return agent.AllowBy(a.spec.Name, "edits")
	case tool == "Bash" && isSimple(command):
		return a.allowTool("Bash(" + command + ")")
	case tool != "Bash" && toolName.MatchString(tool) && !slices.Contains([]string{"Edit", "MultiEdit", "Write", "NotebookEdit"}, tool):
		return a.allowTool(tool)
	}
	return ""
}

// allowTool returns the line of config by which the program allows a tool.
func (a *Agent) allowTool(rule string) string {
	return fmt.Sprintf("agents: {%s: {args: [--allowedTools, %s]}}", a.spec.Name, encode(rule))
}

// isSimple reports whether a rule can name a command exactly: one command of plain words. The program takes a longer one
// apart, and judges each part by itself.
func isSimple(command string) bool {
	return command != "" && len(command) <= shown && !strings.ContainsAny(command, "*()\\\n\r;&|<>$`#,[]{}\"'")
}
