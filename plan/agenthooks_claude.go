package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"mulligan"
)

// preventDoubleHooks keeps hooks of .claude/settings.json from running twice if the agent is Claude
// Code itself: its own are turned off if nothing is lost by that but what mulligan runs; else Claude
// Code runs them, and mulligan does not.
func (b *builder) preventDoubleHooks(p *mulligan.Plan) {
	names := slices.DeleteFunc(stepAgents(p), func(name string) bool { return p.Agents[name].Type != "claude" })
	if len(names) == 0 || !slices.ContainsFunc(p.AgentHooks.Hooks, func(h mulligan.AgentHook) bool { return isForeignFile(h.From) && h.Unhandled == "" }) {
		return
	}
	lost := slices.ContainsFunc(p.AgentHooks.Hooks, func(h mulligan.AgentHook) bool {
		return h.Inside || isForeignFile(h.From) && isUnclaimed(h)
	})
	for _, name := range names {
		switch {
		case hasOwnHooksOff(p.Agents[name]):
		case !lost:
			turnOwnHooksOff(p, name)
			p.Notes = append(p.Notes, fmt.Sprintf("agent %s runs with all hooks of its own settings off: mulligan runs those of the project", name))
		default:
			leaveToClaude(p, name)
			return
		}
	}
}

// ownHooksOffKey is the key of Claude Code's options that turns its own hooks off.
const ownHooksOffKey = "own_hooks_off"

func hasOwnHooksOff(spec mulligan.AgentSpec) bool {
	var options map[string]any
	return json.Unmarshal(spec.Options, &options) == nil && options[ownHooksOffKey] == true
}

// refuseHooksOff refuses to turn off the hooks of a program if the config has hooks inside of it: they
// are the program's own too.
func (b *builder) refuseHooksOff(hooks []mulligan.AgentHook) {
	for _, name := range b.Config.Get("agents").Keys() {
		spec := b.agents[name]
		if !hasOwnHooksOff(spec) {
			continue
		}
		var lost []string
		for _, h := range hooks {
			if isUnclaimed(h) && b.hasInside(spec, h.Event) {
				lost = appendOnce(lost, h.Event)
			}
		}
		if len(lost) > 0 {
			v := b.Config.Get("agents").Get(name).Get(ownHooksOffKey)
			b.addMistake(v.Wrong("the %s hooks of agent_hooks: would not run: the program turns off all hooks or none; leave this key out, or them", joinWords(lost)))
		}
	}
}

func turnOwnHooksOff(p *mulligan.Plan, name string) {
	spec := p.Agents[name]
	options := map[string]json.RawMessage{}
	if len(spec.Options) > 0 && json.Unmarshal(spec.Options, &options) != nil {
		return // not an object: mulligan has not written it
	}
	options[ownHooksOffKey] = json.RawMessage("true")
	data, err := json.Marshal(options)
	if err != nil {
		return
	}
	spec.Options = data
	p.Agents[name] = spec
}

// leaveToClaude marks the hooks of Claude Code's files as run by the agent itself.
func leaveToClaude(p *mulligan.Plan, name string) {
	for i, h := range p.AgentHooks.Hooks {
		if isForeignFile(h.From) && h.Unhandled == "" {
			p.AgentHooks.Hooks[i].Unhandled = "agent " + name + " runs it itself"
		}
	}
	p.Notes = append(p.Notes, fmt.Sprintf("agent %s runs the hooks of .claude/settings.json itself, so mulligan does not: its own cannot be turned off without losing others (own_hooks_off: true says to)", name))
}
