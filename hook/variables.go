package hook

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/config"
)

// The variables of hooks' commands. Each is an environment variable of its hook too.
const (
	session     = "session"
	iteration   = "iteration"
	taskID      = "task_id"
	taskContent = "task_content"
	errorText   = "error"
)

var allVariables = []string{session, iteration, taskID, taskContent, errorText}

// Variables returns the names that a command may use at a moment: "error" for {{error}}.
func Variables(moment mulligan.Moment) []string {
	switch moment {
	case mulligan.PreIteration, mulligan.PostIteration:
		return []string{session, iteration}
	case mulligan.OnTaskComplete:
		return []string{session, taskID, taskContent}
	case mulligan.OnError:
		return []string{session, iteration, errorText}
	default:
		return []string{session}
	}
}

// environmentName returns the environment variable that holds a variable's value.
func environmentName(variable string) string {
	return "MULLIGAN_" + strings.ToUpper(variable)
}

// isFromOutside reports whether a variable's value is text that mulligan did not make: it may hold
// anything, commands for a shell among it.
func isFromOutside(variable string) bool { return variable == errorText || variable == taskContent }

// explainUnknown returns what is wrong with a variable that the moment does not have, or "" if it
// has it.
func explainUnknown(name string, moment mulligan.Moment) string {
	has := Variables(moment)
	switch {
	case slices.Contains(has, name):
		return ""
	case slices.Contains(allVariables, name):
		return fmt.Sprintf("%s has no {{%s}}: it has %s", moment, name, listVariables(has))
	}
	hint := fmt.Sprintf("%s has %s", moment, listVariables(has))
	if near := config.Nearest(strings.ToLower(name), has); near != "" {
		hint = fmt.Sprintf("did you mean {{%s}}?", near)
	}
	return fmt.Sprintf("there is no variable {{%s}}: %s; %s", name, hint, literalHint(name))
}

// literalHint returns how to write the braces themselves.
func literalHint(name string) string {
	return fmt.Sprintf(`for these characters themselves write '{''{%s}}'`, name)
}

func listVariables(names []string) string {
	braced := "{{" + strings.Join(names, "}}, {{") + "}}"
	if len(names) == 1 {
		return "only " + braced
	}
	last := strings.LastIndex(braced, ", ")
	return braced[:last] + " and " + braced[last+len(", "):]
}
