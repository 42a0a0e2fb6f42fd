package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/config"
)

// allAgents resolves every agent of the config, used or not.
func (b *builder) allAgents() map[string]mulligan.AgentSpec {
	specs := map[string]mulligan.AgentSpec{}
	agents := b.Config.Get("agents")
	for _, name := range agents.Keys() {
		v := agents.Get(name)
		kind, ok := b.Catalog.Agent(v.Get("type").String())
		if !ok || !v.OK() {
			continue
		}
		specs[name] = b.agent(name, kind, v)
	}
	return specs
}

func (b *builder) agent(name string, kind config.Variant, v config.Value) mulligan.AgentSpec {
	env := v.Get("env")
	for _, one := range env.List() {
		if one.OK() && !isVariable(one.String()) {
			b.wrong(one.Wrong("%q is not the name of an environment variable", one.String()))
		}
	}
	for _, one := range append(v.Get("args").List(), v.Get("model")) {
		b.refuseSecrets(one, one.String())
	}
	return mulligan.AgentSpec{
		Name:        name,
		Type:        kind.Name,
		Timeout:     v.Get("timeout").Duration(),
		IdleTimeout: v.Get("idle_timeout").Duration(),
		Env:         env.Strings(),
		InheritEnv:  env.String() == "inherit",
		Permissions: b.permissions(name, kind, v.Get("permissions")),
		Writable:    v.Get("writable").Strings(),
		Model:       v.Get("model").String(),
		Args:        v.Get("args").Strings(),
		MaxTurns:    v.Get("max_turns").Int(),
		Options:     b.options(kind, v),
	}
}

// permissions are what an agent may do unasked. Nothing confines agents yet, so that an agent
// that can be told is told to keep to edits where the user says nothing.
func (b *builder) permissions(name string, kind config.Variant, v config.Value) string {
	given := v.String()
	switch {
	case !kind.Permits && given != "" && given != "full":
		b.note("agent %s (%s) cannot be told to keep to permissions: %s, and may do all that you may", name, kind.Name, given)
	case kind.Permits && given == "ask" && !b.Ask:
		b.note("agent %s asks before it acts (permissions: ask): what nobody answers is denied, unless --ask waits for a person", name)
	}
	if !kind.Permits {
		return ""
	}
	return cmp.Or(given, "edits")
}

// options are what the variant makes of the value, as the journal keeps it; nil where
// there is nothing to build.
func (b *builder) options(kind config.Variant, v config.Value) json.RawMessage {
	options, mistakes := kind.Decode(v, b.read)
	b.mistakes = append(b.mistakes, mistakes...)
	if options == nil || len(mistakes) > 0 {
		return nil
	}
	data, err := json.Marshal(options)
	if err != nil {
		b.wrong(v.Wrong("cannot be stored: %v", err))
	}
	b.refuseSecrets(v, string(data))
	return data
}

// isVariable takes names and beginnings of names: NVM_DIR, AWS_*.
func isVariable(s string) bool {
	s = strings.TrimSuffix(s, "*")
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return r != '_' && !isLetter(r) && !isDigit(r) }) < 0
}

// usualAgent checks the top-level agent, so that it is reported once and not for
// every step.
func (b *builder) usualAgent() {
	usual := b.Config.Get("agent")
	if usual.OK() {
		b.resolveAgent(usual)
	}
}

// resolveAgent checks that a name is an agent's.
func (b *builder) resolveAgent(v config.Value) {
	name := v.String()
	names := b.Config.Get("agents").Keys()
	if slices.Contains(names, name) {
		return
	}
	for _, built := range b.Catalog.Named {
		if built.Name == name {
			b.builtinAgent(v, built)
			return
		}
	}
	m := v.WrongName("agent", names)
	if m.Hint == "" {
		m.Hint = fmt.Sprintf("define it: agents: {%s: {type: program, exec: [COMMAND]}}", name)
	}
	b.wrong(m)
}

// builtinAgent is an agent that needs no entry.
func (b *builder) builtinAgent(v config.Value, named config.Named) {
	if _, done := b.agents[named.Name]; done {
		return
	}
	kind, _ := b.Catalog.Agent(named.Type)
	if entry := b.Catalog.Entry(named); named.Type != "" && !kind.NotYet && entry.OK() {
		b.agents[named.Name] = b.agent(named.Name, kind, entry)
		return
	}
	m := v.Wrong("the built-in agent %q is not supported yet (%s)", named.Name, named.Doc)
	if named.Type == "" {
		m = v.Wrong("the built-in agent %q needs options (%s)", named.Name, named.Doc)
	}
	m.Hint = "define an agent under agents: and name that one"
	b.wrong(m)
}

// stepAgent is the name of the agent that takes a step.
func (b *builder) stepAgent(step config.Value) string {
	if own := step.Get("agent"); own.IsSet() {
		if own.OK() {
			b.resolveAgent(own)
		}
		return own.String()
	}
	usual := b.Config.Get("agent")
	if !usual.IsSet() {
		m := b.Config.Get("agent").Wrong("no agent is named: add agent: NAME, and define NAME under agents")
		if names := b.Config.Get("agents").Keys(); len(names) > 0 {
			m.Hint = "there is " + strings.Join(names, ", ")
		}
		b.wrong(m)
	}
	return usual.String()
}

// stepModel is a step's own model, which its agent has to have a choice of.
func (b *builder) stepModel(v config.Value, agent string) string {
	spec, known := b.agents[agent]
	kind, _ := b.Catalog.Agent(spec.Type)
	if v.OK() && known && !slices.Contains(kind.Takes, "model") {
		b.wrong(v.Wrong("agent %s (type %s) has no choice of models", agent, spec.Type))
	}
	b.refuseSecrets(v, v.String())
	return v.String()
}
