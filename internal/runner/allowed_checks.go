package runner

import (
	"context"
	"encoding/json"

	"mulligan"
	"mulligan/gate/command"
)

// allowChecks returns an agent whose turns allow the commands of their step's checks: its prompt asks the
// agent to run them.
func allowChecks(a mulligan.Agent, p *mulligan.Plan) mulligan.Agent { return checkAllower{a, p} }

type checkAllower struct {
	mulligan.Agent
	plan *mulligan.Plan
}

func (a checkAllower) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	for _, step := range a.plan.Steps {
		if step.Name == t.Step && !t.ReadOnly {
			t.Allowed = checkCommands(step)
		}
	}
	return a.Agent.Turn(ctx, t)
}

// checkCommands returns the commands of a step's checks.
func checkCommands(step mulligan.Step) []string {
	var commands []string
	for _, check := range step.Checks {
		var opt command.Options
		if check.Type == "shell" && json.Unmarshal(check.Options, &opt) == nil && opt.Command != "" {
			commands = append(commands, opt.Command)
		}
	}
	return commands
}
