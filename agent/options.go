package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mulligan"
)

// Decode reads the options of a spec; a spec without any leaves them as they are. exec is the
// field of the options that holds the program and its arguments. Where the spec names no program,
// usual is it; usual is "" for a backend that has none. taken returns why one of the user's arguments
// is the backend's own to give, or ""; it is nil for a backend that has no such arguments.
func Decode(spec mulligan.AgentSpec, options any, exec *[]string, usual string, taken func(arg string) (why string)) error {
	if len(spec.Options) > 0 {
		if err := json.Unmarshal(spec.Options, options); err != nil {
			return fmt.Errorf("agent %s: options: %w", spec.Name, err)
		}
	}
	if len(*exec) == 0 {
		*exec = []string{usual}
	}
	if (*exec)[0] == "" {
		return fmt.Errorf("agent %s: exec is empty: give the program and its arguments", spec.Name)
	}
	if taken == nil {
		return nil
	}
	for _, arg := range spec.Args {
		if why := taken(arg); why != "" {
			return fmt.Errorf("agent %s: args: %s", spec.Name, why)
		}
	}
	return nil
}

// ReservedArg returns why an argument is not for a config's args, or "" if it is: -- and the given
// flags are mulligan's own to give. The value of a flag is the setting to use instead, or "" if
// there is none.
func ReservedArg(arg string, flags map[string]string) (why string) {
	flag, _, _ := strings.Cut(arg, "=")
	instead, ours := flags[flag]
	switch {
	case arg == "--":
		return "-- would end the flags, and mulligan's own with them"
	case ours && instead != "":
		return fmt.Sprintf("%s is mulligan's to give: use %s", flag, instead)
	case ours:
		return fmt.Sprintf("%s is mulligan's to give", flag)
	}
	return ""
}

// A Hook is a moment inside an agent at which its program calls mulligan.
type Hook struct {
	Event   string        `json:"event"`
	Matcher string        `json:"matcher,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // 0: the program's own
}

// Command returns the command line that the program runs at the moment. Every exit code but 2 would
// let the agent continue, and a hook that cannot even start must not.
func (h Hook) Command() string { return fmt.Sprintf(`"$MULLIGAN" hook %s || exit 2`, h.Event) }
