package plan

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/hook/claudecode"
	"mulligan/internal/text"
)

// addAgentHooks adds to a plan the hooks at moments of its agents, the agents that answer prompts,
// and notes on what none of its agents can run.
func (b *builder) addAgentHooks(p *mulligan.Plan) {
	p.AgentHooks = b.agentHooks
	p.AgentHooks.Hooks = slices.Clone(b.agentHooks.Hooks)
	for _, h := range p.AgentHooks.Hooks {
		if h.Agent != "" && h.Unhandled == "" {
			p.Agents[h.Agent] = b.agents[h.Agent]
		}
	}
	for _, name := range stepAgents(p) {
		p.Notes = append(p.Notes, b.describeNotInside(p, name)...)
	}
	b.claimInsideHooks(p)
	b.preventDoubleHooks(p)
	leaveInsideHooks(p)
}

// stepAgents returns the agents that take the steps, each once: first those of the steps themselves, then
// those of strategies for retries.
func stepAgents(p *mulligan.Plan) []string {
	var names []string
	for _, s := range p.Steps {
		names = appendOnce(names, s.Agent)
	}
	for _, name := range strategyAgents(p) {
		names = appendOnce(names, name)
	}
	return names
}

// describeNotInside returns notes on the hooks at events inside an agent that do not run in this
// agent's turns.
func (b *builder) describeNotInside(p *mulligan.Plan, name string) []string {
	spec := p.Agents[name]
	var cannot, leaves []string // events that it has no hooks at; events whose hooks are Claude Code's
	for _, h := range p.AgentHooks.Hooks {
		switch {
		case !isUnclaimed(h) || runsOwnHook(spec, h) || h.Type == claudecode.TypeGuard:
		case !b.hasInside(spec, h.Event):
			cannot = appendOnce(cannot, h.Event)
		case isForeignFile(h.From):
			leaves = appendOnce(leaves, h.Event)
		}
	}
	var notes []string
	if len(cannot) > 0 {
		notes = append(notes, fmt.Sprintf("agent %s (%s) cannot run %s hooks: they are not run", name, spec.Type, joinWords(cannot)))
	}
	if len(leaves) > 0 {
		notes = append(notes, fmt.Sprintf("agent %s (%s) does not run the %s hooks of Claude Code's settings: move them to agent_hooks: of mulligan.yaml", name, spec.Type, joinWords(leaves)))
	}
	return notes
}

// runsOwnHook reports whether an agent runs a hook by itself, because it stands in a file of its own.
func runsOwnHook(spec mulligan.AgentSpec, h mulligan.AgentHook) bool {
	return spec.Type == "claude" && isForeignFile(h.From) && !hasOwnHooksOff(spec)
}

// appendOnce appends a word that is not among the words.
func appendOnce(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// claimInsideHooks marks the hooks of mulligan.yaml that an agent of the plan is told to ask mulligan
// about. An agent runs those of its own files by itself.
func (b *builder) claimInsideHooks(p *mulligan.Plan) {
	for i, h := range p.AgentHooks.Hooks {
		has := func(name string) bool { return b.hasInside(p.Agents[name], h.Event) }
		if !isUnclaimed(h) || isForeignFile(h.From) || !slices.ContainsFunc(stepAgents(p), has) {
			continue
		}
		p.AgentHooks.Hooks[i].Inside, p.AgentHooks.Hooks[i].Unhandled = true, ""
		if h.Agent != "" {
			p.Agents[h.Agent] = b.agents[h.Agent]
		}
	}
}

func (b *builder) hasInside(spec mulligan.AgentSpec, event string) bool {
	kind, ok := b.Catalog.Agent(spec.Type)
	return ok && kind.Inside != nil && kind.Inside(event)
}

// leaveInsideHooks marks the hooks at events inside Claude Code that it runs from its own files.
func leaveInsideHooks(p *mulligan.Plan) {
	for i, h := range p.AgentHooks.Hooks {
		for _, name := range stepAgents(p) {
			if isUnclaimed(h) && runsOwnHook(p.Agents[name], h) {
				p.AgentHooks.Hooks[i].Unhandled = "agent " + name + " runs it itself"
				break
			}
		}
	}
}

// joinWords returns the words with commas, and "and" before the last.
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// AgentHookLines returns, line by line, which hooks run at which moment of the agent, where they
// come from, and what happens when a Stop hook does not let it go.
func AgentHookLines(p *mulligan.Plan) []string {
	var lines []string
	for _, event := range outsideEvents() {
		for _, h := range p.AgentHooks.Of(event) {
			lines = append(lines, formatAgentHook(h))
		}
	}
	for _, h := range p.AgentHooks.Hooks {
		switch {
		case h.Type == claudecode.TypeGuard:
		case h.Unhandled != "":
			lines = append(lines, formatAgentHook(h)+": "+h.Unhandled)
		case h.Inside:
			lines = append(lines, formatAgentHook(h)+": asked for from inside the agent")
		}
	}
	if hasStopHooks(p) {
		lines = append(lines, formatHookLimit(p.AgentHooks))
	}
	return lines
}

func formatAgentHook(h mulligan.AgentHook) string {
	at := h.Event
	if h.Matcher != "" {
		at += " " + h.Matcher
	}
	var terms []string
	if h.Agent != "" {
		terms = append(terms, "asks "+h.Agent)
	}
	if h.Unhandled == "" {
		terms = append(terms, "at most "+FormatDuration(h.Timeout))
		if h.FailOpen {
			terms = append(terms, "allows where it cannot tell")
		}
	}
	terms = append(terms, "from "+h.From)
	return fmt.Sprintf("%s: %s (%s)", at, h.Name, strings.Join(terms, ", "))
}

// formatHookLimit returns how often a Stop hook sends the agent back, and what follows.
func formatHookLimit(a mulligan.AgentHooks) string {
	then := "a person is asked, and where nobody answers the attempt has failed"
	switch a.OnLimit {
	case "fail":
		then = "the attempt has failed"
	case "accept":
		then = "the work is accepted, with a warning"
	}
	return fmt.Sprintf("Stop hooks send the agent back at most %s in a row; then %s (on_limit: %s)", text.Count(a.MaxRetries, "time"), then, a.OnLimit)
}

// hasStopHooks reports whether a hook may send an agent back.
func hasStopHooks(p *mulligan.Plan) bool { return len(p.AgentHooks.Of(mulligan.EventStop)) > 0 }

// maxHookRetries returns how many turns Stop hooks may add to each that they did not cause.
func maxHookRetries(p *mulligan.Plan) int {
	if !hasStopHooks(p) {
		return 0
	}
	return p.AgentHooks.MaxRetries
}

// isForeignFile reports whether hooks were read from a file that an agent reads by itself.
func isForeignFile(name string) bool { return strings.HasPrefix(name, ".claude/") }
