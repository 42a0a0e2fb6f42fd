package agent

import (
	"encoding/json"
	"fmt"
	"time"

	"mulligan"
)

// Decode reads the options of a spec. A spec without any leaves them as they are.
func Decode(spec mulligan.AgentSpec, options any) error {
	if len(spec.Options) == 0 {
		return nil
	}
	if err := json.Unmarshal(spec.Options, options); err != nil {
		return fmt.Errorf("agent %s: options: %w", spec.Name, err)
	}
	return nil
}

// Program is what a spec runs: what its options say, else the usual program; "" is none.
func Program(spec mulligan.AgentSpec, exec []string, usual string) ([]string, error) {
	if len(exec) == 0 && usual != "" {
		exec = []string{usual}
	}
	if len(exec) == 0 || exec[0] == "" {
		return nil, fmt.Errorf("agent %s: exec is empty: give the program and its arguments", spec.Name)
	}
	return exec, nil
}

// CheckArgs refuses arguments of the user's that are the backend's own to give.
func CheckArgs(spec mulligan.AgentSpec, taken func(arg string) (why string)) error {
	for _, arg := range spec.Args {
		if why := taken(arg); why != "" {
			return fmt.Errorf("agent %s: args: %s", spec.Name, why)
		}
	}
	return nil
}

// A Hook is a moment inside an agent at which its program is told to ask mulligan.
type Hook struct {
	Event   string        `json:"event"`
	Matcher string        `json:"matcher,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // 0: the program's own
}

// Command is what the program runs then. Every exit but 2 would let the agent go on: a
// handler that cannot even start must not.
func (h Hook) Command() string { return fmt.Sprintf(`"$MULLIGAN" hook %s || exit 2`, h.Event) }
