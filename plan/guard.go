package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/config"
	"mulligan/guard"
	"mulligan/hook/claudecode"
	"mulligan/internal/text"
)

// MaxValidation is how long a validation may take: an agent's program takes a hook that is silent for
// longer than ten minutes for one that allows.
const MaxValidation = 9 * time.Minute

// MakeGuard returns what claims have to pass by a config, nil if the guard is off, and the agents that
// it names, for an agent that no session runs. Its error is config.Mistakes, all those of the config.
func MakeGuard(c *config.Config, catalog config.Catalog) (*mulligan.Guard, map[string]mulligan.AgentSpec, error) {
	b := newBuilder(Request{Config: c, Catalog: catalog})
	if err := b.mistakes.Err(); err != nil || b.guard == nil {
		return nil, nil, err
	}
	agents := map[string]mulligan.AgentSpec{}
	b.addGuard(&mulligan.Plan{Agents: agents})
	return b.guard, agents, nil
}

// makeGuardPlan returns the plan of a config that has a guard and nothing that can be run: it has no step.
func (b *builder) makeGuardPlan() *mulligan.Plan {
	p := &mulligan.Plan{Agents: map[string]mulligan.AgentSpec{}, Notes: slices.Clone(b.notes)}
	p.Notes = append(p.Notes, "there is no pipeline and no loop: the config serves the guard of agents that you run yourself, and `mulligan run` needs a pipeline")
	b.addGuard(p)
	return p
}

// resolveGuard returns what claims have to pass, nil if the guard is off. Its mistakes count also
// where it is.
func (b *builder) resolveGuard() *mulligan.Guard {
	c := b.Config.Get("guard")
	g := &mulligan.Guard{
		MaxAttempts: c.Get("max_retry_attempts").Int(),
		DenyFirst:   c.Get("first_attempt").String() != "validate",
		Ignore:      c.Get("ignore").Strings(),
		FailOpen:    c.Get("on_failure").String() == "allow",
	}
	if most := c.Get("max_retry_attempts"); most.OK() && g.MaxAttempts == 1 && g.DenyFirst {
		b.addMistake(most.Wrong("with 1 attempt, and the first always denied, no claim can ever pass").
			WithHint("2 or more attempts, or first_attempt: validate"))
	}
	for _, glob := range c.Get("ignore").List() {
		if glob.OK() && !guard.ValidGlob(glob.String()) {
			b.addMistake(glob.Wrong("%q is not a glob: a bracket or brace is not closed", glob.String()))
		}
	}
	if v := c.Get("validate"); v.Given() {
		g.Validate = b.resolveValidation(v)
	}
	if !c.Get("enabled").Bool() {
		return nil
	}
	return g
}

func (b *builder) resolveValidation(v config.Value) *mulligan.GuardValidate {
	if agent := v.Get("agent"); agent.OK() {
		b.resolveAgent(agent)
	}
	limit := v.Get("timeout")
	if d := limit.Duration(); limit.OK() && (d <= 0 || d > MaxValidation) {
		b.addMistake(limit.Wrong("a validation takes more than 0s and at most %s: the agent waits for it", FormatDuration(MaxValidation)))
	}
	return &mulligan.GuardValidate{Agent: v.Get("agent").String(), Timeout: limit.Duration()}
}

// addGuardHooks adds the hooks by which an agent's program tells the guard of the tasks that the agent
// tracks itself. A program whose own hooks are off has none. A call may claim many items, and wait for the
// validation of others: the program waits as long as all that may take, or it would take the claim for
// allowed.
func (b *builder) addGuardHooks() {
	if b.guard == nil {
		return
	}
	for _, event := range []string{claudecode.EventToolUse, claudecode.EventTaskCreated, claudecode.EventTaskCompleted} {
		h := mulligan.AgentHook{Event: event, Name: "guard", Type: claudecode.TypeGuard, Timeout: MaxValidation, From: "guard", Unhandled: insideAgent}
		if event == claudecode.EventToolUse {
			h.Matcher = strings.Join(claudecode.GuardedTools(), "|")
		}
		b.agentHooks.Hooks = append(b.agentHooks.Hooks, h)
	}
	for name, spec := range b.agents {
		if hasOwnHooksOff(spec) {
			b.addNote("agent %s runs with its own hooks off: the guard sees mulligan's tasks, and not the lists that the agent keeps itself", name)
		}
	}
}

// addGuard adds the guard to a plan, with the agent that validates claims.
func (b *builder) addGuard(p *mulligan.Plan) {
	if p.Guard = b.guard; p.Guard == nil || p.Guard.Validate == nil {
		return
	}
	name := p.Guard.Validate.Agent
	maps.Copy(p.Agents, map[string]mulligan.AgentSpec{name: b.agents[name]})
}

// GuardLines returns, line by line, what a claim that a task is done has to pass; none if the guard is
// off.
func GuardLines(p *mulligan.Plan) []string {
	g := p.Guard
	if g == nil {
		return nil
	}
	by := "the checks"
	if g.Validate != nil {
		by = fmt.Sprintf("agent %s, within %s", g.Validate.Agent, FormatDuration(g.Validate.Timeout))
	}
	first := "the first is denied with a request for evidence, the others are validated by " + by
	if !g.DenyFirst {
		first = "all are validated by " + by
	}
	lines := []string{fmt.Sprintf("at most %s that a task is done: %s; one more waits for a person", text.Count(g.MaxAttempts, "claim"), first)}
	if len(g.Ignore) > 0 {
		lines = append(lines, "not for tasks like "+strings.Join(g.Ignore, ", "))
	}
	return lines
}
