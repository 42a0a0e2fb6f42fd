package plan

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// giveAgentHooks gives a plan the hooks at moments of its agents, those who answer prompts, and
// a word on what none of its agents can run.
func (b *builder) giveAgentHooks(p *mulligan.Plan) {
	p.AgentHooks = b.agentHooks
	p.AgentHooks.Hooks = slices.Clone(b.agentHooks.Hooks)
	for _, h := range p.AgentHooks.Hooks {
		if h.Agent != "" && h.Unhandled == "" {
			p.Agents[h.Agent] = b.agents[h.Agent]
		}
	}
	for _, name := range stepAgents(p) {
		p.Notes = append(p.Notes, b.notInside(p, name)...)
	}
	b.handInside(p)
	b.onceOnly(p)
	leaveInside(p)
}

// stepAgents are the agents that take the steps, each once.
func stepAgents(p *mulligan.Plan) []string {
	var names []string
	for _, s := range p.Steps {
		if !slices.Contains(names, s.Agent) {
			names = append(names, s.Agent)
		}
	}
	return names
}

// notInside says which hooks at moments inside an agent do not run where this agent works.
func (b *builder) notInside(p *mulligan.Plan, name string) []string {
	spec := p.Agents[name]
	var cannot, leaves []string // events that it has no hooks at; those whose hooks are Claude Code's
	for _, h := range p.AgentHooks.Hooks {
		switch {
		case h.Unhandled != insideAgent || runsOwn(spec, h):
		case !b.hasInside(spec, h.Event):
			cannot = once(cannot, h.Event)
		case foreignFile(h.From):
			leaves = once(leaves, h.Event)
		}
	}
	var notes []string
	if len(cannot) > 0 {
		notes = append(notes, fmt.Sprintf("agent %s (%s) cannot run %s hooks: they are not run", name, spec.Type, listed(cannot)))
	}
	if len(leaves) > 0 {
		notes = append(notes, fmt.Sprintf("agent %s (%s) does not run the %s hooks of Claude Code's settings: move them to agent_hooks: of mulligan.yaml", name, spec.Type, listed(leaves)))
	}
	return notes
}

// runsOwn says whether an agent runs a hook by itself, because it stands in a file of its own.
func runsOwn(spec mulligan.AgentSpec, h mulligan.AgentHook) bool {
	return spec.Type == "claude" && foreignFile(h.From) && !ownHooksOff(spec)
}

func once(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// handInside marks the hooks of mulligan.yaml that an agent of the plan is told to ask mulligan
// about. Those of an agent's own files it runs by itself.
func (b *builder) handInside(p *mulligan.Plan) {
	for i, h := range p.AgentHooks.Hooks {
		if h.Unhandled != insideAgent || foreignFile(h.From) || !b.anyInside(p, h.Event) {
			continue
		}
		p.AgentHooks.Hooks[i].Inside, p.AgentHooks.Hooks[i].Unhandled = true, ""
		if h.Agent != "" {
			p.Agents[h.Agent] = b.agents[h.Agent]
		}
	}
	p.Notes = append(p.Notes, b.unrunnable(p.AgentHooks.Inside(""))...)
}

func (b *builder) anyInside(p *mulligan.Plan, event string) bool {
	return slices.ContainsFunc(p.Steps, func(s mulligan.Step) bool { return b.hasInside(p.Agents[s.Agent], event) })
}

func (b *builder) hasInside(spec mulligan.AgentSpec, event string) bool {
	kind, ok := b.Catalog.Agent(spec.Type)
	return ok && kind.Inside != nil && kind.Inside(event)
}

// leaveInside says of hooks at moments inside Claude Code that it runs those of its own files.
func leaveInside(p *mulligan.Plan) {
	for i, h := range p.AgentHooks.Hooks {
		for _, name := range stepAgents(p) {
			if h.Unhandled == insideAgent && runsOwn(p.Agents[name], h) {
				p.AgentHooks.Hooks[i].Unhandled = "agent " + name + " runs it itself"
				break
			}
		}
	}
}

func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// AgentHookLines says, line by line, which hooks run at which moment of the agent, where they
// come from, and what happens when a Stop hook does not let it go.
func AgentHookLines(p *mulligan.Plan) []string {
	var lines []string
	for _, event := range []string{mulligan.EventSessionStart, mulligan.EventPrompt, mulligan.EventStop, mulligan.EventSessionEnd} {
		for _, h := range p.AgentHooks.Of(event) {
			lines = append(lines, agentHookLine(h))
		}
	}
	for _, h := range p.AgentHooks.Hooks {
		switch {
		case h.Unhandled != "":
			lines = append(lines, agentHookLine(h)+": "+h.Unhandled)
		case h.Inside:
			lines = append(lines, agentHookLine(h)+": asked for from inside the agent")
		}
	}
	if stops(p) {
		lines = append(lines, limitLine(p.AgentHooks))
	}
	return lines
}

func agentHookLine(h mulligan.AgentHook) string {
	at := h.Event
	if h.Matcher != "" {
		at += " " + h.Matcher
	}
	var terms []string
	if h.Agent != "" {
		terms = append(terms, "asks "+h.Agent)
	}
	if h.Unhandled == "" {
		terms = append(terms, "at most "+span(h.Timeout))
		if h.FailOpen {
			terms = append(terms, "allows where it cannot run")
		}
	}
	terms = append(terms, "from "+h.From)
	return fmt.Sprintf("%s: %s (%s)", at, h.Name, strings.Join(terms, ", "))
}

// limitLine says how often a Stop hook sends the agent back, and what follows.
func limitLine(a mulligan.AgentHooks) string {
	then := "a person is asked, and where nobody answers the attempt has failed"
	switch a.OnLimit {
	case "fail":
		then = "the attempt has failed"
	case "accept":
		then = "the work is accepted, with a warning"
	}
	return fmt.Sprintf("Stop hooks send the agent back at most %s in a row; then %s (on_limit: %s)", plural(a.MaxRetries, "time"), then, a.OnLimit)
}

// stops says whether a hook may send an agent back.
func stops(p *mulligan.Plan) bool { return len(p.AgentHooks.Of(mulligan.EventStop)) > 0 }

// hookRetries is how many turns Stop hooks may add to each that they did not cause.
func hookRetries(p *mulligan.Plan) int {
	if !stops(p) {
		return 0
	}
	return p.AgentHooks.MaxRetries
}

// foreignFile says whether hooks were read from a file that an agent reads by itself.
func foreignFile(name string) bool { return strings.HasPrefix(name, ".claude/") }
