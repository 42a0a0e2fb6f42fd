package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// describePlan returns the parts of a snapshot that follow from the plan alone.
func describePlan(p *mulligan.Plan) Snapshot {
	snap := Snapshot{
		Task: Line(p.Task.Label()), Flags: formatFlags(p.Given), FromStdin: !p.Task.IsLabelled(), Folder: Line(p.Task.Folder), InFolder: describePosition(p.Task), Pipeline: Line(p.Pipeline),
		Agents: describeAgents(p), Steps: make([]Step, len(p.Steps)),
	}
	for i, s := range p.Steps {
		step := Step{Name: Line(s.Name), Max: s.Retry + 1, Limits: s.Limits}
		for _, c := range s.Checks {
			step.Checks = append(step.Checks, Check{Name: Line(c.Name), Final: c.Final})
		}
		snap.Steps[i] = step
	}
	return snap
}

// formatFlags returns the flags that are needed to give a task again whose pipeline was made of flags.
func formatFlags(g mulligan.Given) string {
	if len(g.Checks) == 0 {
		return ""
	}
	var flags []string
	if g.Agent != "" {
		flags = append(flags, "--agent "+QuoteForShell(g.Agent))
	}
	for _, c := range g.Checks {
		flags = append(flags, "--check "+QuoteForShell(c))
	}
	return Line(strings.Join(append(flags, fmt.Sprintf("--retry %d", g.Retry)), " "))
}

// describeAgents returns the agents of a plan that are told what they may do unasked, or whose confinement
// is known, in the order of its steps.
func describeAgents(p *mulligan.Plan) []string {
	var lines, seen []string
	for _, s := range p.Steps {
		spec := p.Agents[s.Agent]
		confinement := describeConfinement(spec)
		if spec.Permissions == "" && confinement == "" || slices.Contains(seen, s.Agent) {
			continue
		}
		seen = append(seen, s.Agent)
		words := []string{productName(spec.Type)}
		if spec.Model != "" {
			words = append(words, "model "+spec.Model)
		}
		if spec.Permissions != "" {
			words = append(words, "permissions "+spec.Permissions)
		}
		if confinement != "" {
			words = append(words, confinement)
		}
		lines = append(lines, Line(spec.Name+": "+strings.Join(words, ", ")))
	}
	return lines
}

// describeConfinement returns what keeps an agent to what it may write, or that nothing does and why, or
// "" if the plan does not tell.
func describeConfinement(spec mulligan.AgentSpec) string {
	switch {
	case spec.Confined == "bwrap":
		return "confined by bubblewrap"
	case spec.Confined != "":
		return "confined by Landlock"
	case spec.Unconfined != "":
		return "not confined (" + spec.Unconfined + ")"
	}
	return ""
}

// productName returns what people call the agents of a type.
func productName(kind string) string {
	names := map[string]string{"claude": "Claude Code", "codex": "Codex", "acp": "an agent over ACP"}
	return cmp.Or(names[kind], kind)
}

// describePosition returns which of a folder's tasks a task is, "" if that is not known.
func describePosition(t mulligan.Task) string {
	if t.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", t.Position, t.Count)
}
