package hook

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/internal/process"
)

// hookEnvironment returns the environment of a hook's program: the user's own, what the config
// adds, and the variables of the moment. Variables that the moment does not have are removed, or a
// hook inside of another session's hook would read that one's.
func hookEnvironment(environ []string, dir string, c mulligan.HookCall) []string {
	own := slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(allVariables, func(v string) bool { return environmentName(v) == name })
	})
	add := []string{"PWD=" + dir}
	for _, name := range slices.Sorted(maps.Keys(c.Hook.Env)) {
		add = append(add, name+"="+c.Hook.Env[name])
	}
	add = append(add, "MULLIGAN_HOOK="+string(c.Moment))
	for _, name := range Variables(c.Moment) {
		add = append(add, environmentName(name)+"="+variableValue(name, c))
	}
	for i, pair := range add {
		add[i] = strings.ReplaceAll(pair, "\x00", "\uFFFD") // an environment cannot have it
	}
	return process.Set(own, add...)
}

// variableValue returns the value of a variable in a call.
func variableValue(variable string, c mulligan.HookCall) string {
	switch variable {
	case iteration:
		return strconv.Itoa(c.Iteration)
	case taskID:
		return strconv.Itoa(c.Task.ID)
	case taskContent:
		return c.Task.Content
	case errorText:
		return c.Error
	}
	return c.Session
}
