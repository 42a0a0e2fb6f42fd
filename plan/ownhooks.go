package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"mulligan"
)

// onceOnly keeps hooks of .claude/settings.json from running twice where the agent is Claude Code
// itself: its own are turned off, where nothing but what mulligan runs is lost by that; else it
// runs them, and mulligan does not.
func (b *builder) onceOnly(p *mulligan.Plan) {
	names := claudeAgents(p)
	if len(names) == 0 || !anyHook(p, func(h mulligan.AgentHook) bool { return foreignFile(h.From) && h.Unhandled == "" }) {
		return
	}
	lost := anyHook(p, func(h mulligan.AgentHook) bool { return h.Inside || foreignFile(h.From) && h.Unhandled == insideAgent })
	for _, name := range names {
		switch {
		case ownHooksOff(p.Agents[name]):
		case !lost:
			turnOwnHooksOff(p, name)
			p.Notes = append(p.Notes, fmt.Sprintf("agent %s runs with all hooks of its own settings off: mulligan runs those of the project", name))
		default:
			leaveToClaude(p, name)
			return
		}
	}
}

func claudeAgents(p *mulligan.Plan) []string {
	return slices.DeleteFunc(stepAgents(p), func(name string) bool { return p.Agents[name].Type != "claude" })
}

func anyHook(p *mulligan.Plan, is func(mulligan.AgentHook) bool) bool {
	for _, h := range p.AgentHooks.Hooks {
		if is(h) {
			return true
		}
	}
	return false
}

// ownHooks is the part of Claude Code's options that is about its own hooks.
const ownHooks = "own_hooks_off"

func ownHooksOff(spec mulligan.AgentSpec) bool {
	var options map[string]any
	return json.Unmarshal(spec.Options, &options) == nil && options[ownHooks] == true
}

// refuseHooksOff refuses to turn off the hooks of a program that the config has hooks inside of: they
// are the program's own too.
func (b *builder) refuseHooksOff(hooks []mulligan.AgentHook) {
	for _, name := range b.Config.Get("agents").Keys() {
		spec := b.agents[name]
		if !ownHooksOff(spec) {
			continue
		}
		var lost []string
		for _, h := range hooks {
			if h.Unhandled == insideAgent && b.hasInside(spec, h.Event) {
				lost = once(lost, h.Event)
			}
		}
		if len(lost) > 0 {
			v := b.Config.Get("agents").Get(name).Get(ownHooks)
			b.wrong(v.Wrong("the %s hooks of agent_hooks: would not run: the program turns off all hooks or none; leave this key out, or them", listed(lost)))
		}
	}
}

func turnOwnHooksOff(p *mulligan.Plan, name string) {
	spec := p.Agents[name]
	options := map[string]json.RawMessage{}
	if len(spec.Options) > 0 && json.Unmarshal(spec.Options, &options) != nil {
		return // not an object: nothing that we have written
	}
	options[ownHooks] = json.RawMessage("true")
	data, err := json.Marshal(options)
	if err != nil {
		return
	}
	spec.Options = data
	p.Agents[name] = spec
}

func leaveToClaude(p *mulligan.Plan, name string) {
	for i, h := range p.AgentHooks.Hooks {
		if foreignFile(h.From) && h.Unhandled == "" {
			p.AgentHooks.Hooks[i].Unhandled = "agent " + name + " runs it itself"
		}
	}
	p.Notes = append(p.Notes, fmt.Sprintf("agent %s runs the hooks of .claude/settings.json itself, so mulligan does not: its own cannot be turned off without losing others (own_hooks_off: true says to)", name))
}
