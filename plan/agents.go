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

// resolveAgents returns every agent of the config, used or not.
func (b *builder) resolveAgents() map[string]mulligan.AgentSpec {
	specs := map[string]mulligan.AgentSpec{}
	agents := b.Config.Get("agents")
	for _, name := range agents.Keys() {
		v := agents.Get(name)
		kind, ok := b.Catalog.Agent(v.Get("type").String())
		if !ok || !v.OK() {
			continue
		}
		specs[name] = b.resolveAgentEntry(name, kind, v)
	}
	return specs
}

func (b *builder) resolveAgentEntry(name string, kind config.Variant, v config.Value) mulligan.AgentSpec {
	env := v.Get("env")
	for _, one := range env.List() {
		// A * stands for the rest of names: AWS_*.
		if one.OK() && !variableName().MatchString(strings.TrimSuffix(one.String(), "*")) {
			b.addMistake(one.Wrong("%q is not the name of an environment variable", one.String()))
		}
	}
	for _, one := range append(v.Get("args").List(), v.Get("model")) {
		b.refuseSecrets(one, one.String())
	}
	b.checkWritable(v.Get("writable"))
	spec := mulligan.AgentSpec{
		Name:        name,
		Type:        kind.Name,
		Timeout:     v.Get("timeout").Duration(),
		IdleTimeout: v.Get("idle_timeout").Duration(),
		Env:         env.Strings(),
		InheritEnv:  env.String() == "inherit",
		Permissions: b.resolvePermissions(name, kind, v.Get("permissions")),
		Writable:    v.Get("writable").Strings(),
		Model:       v.Get("model").String(),
		Args:        v.Get("args").Strings(),
		MaxTurns:    v.Get("max_turns").Int(),
		Options:     b.decodeOptions(kind, v),
	}
	b.checkNesting(&spec, kind, v.Get("permissions"))
	b.resolveConfinement(&spec, kind)
	return spec
}

// resolvePermissions returns what an agent may do unasked, or "" if the user has set nothing or the agent
// cannot be told.
func (b *builder) resolvePermissions(name string, kind config.Variant, v config.Value) string {
	given := v.String()
	switch {
	case !kind.Permits && given != "" && given != "full":
		b.addNote("agent %s (%s) cannot be told to keep to permissions: %s, and may do all that you may", name, kind.Name, given)
	case kind.Permits && given == "ask" && !b.Ask:
		b.addNote("agent %s asks before it acts (permissions: ask): what nobody answers is denied, unless --ask waits for a person", name)
	}
	if !kind.Permits {
		return ""
	}
	return given
}

// decodeOptions returns the variant's options as the journal keeps them, or nil if there is nothing
// to build.
func (b *builder) decodeOptions(kind config.Variant, v config.Value) json.RawMessage {
	options, mistakes := kind.Decode(v, b.readFile)
	b.mistakes = append(b.mistakes, mistakes...)
	if options == nil || len(mistakes) > 0 {
		return nil
	}
	data, err := json.Marshal(options)
	if err != nil {
		b.addMistake(v.Wrong("cannot be stored: %v", err))
	}
	b.refuseSecrets(v, string(data))
	return data
}

// resolveAgent refuses a name that is no agent's. An agent that is built in is added to the agents.
func (b *builder) resolveAgent(v config.Value) {
	name := v.String()
	names := b.Config.Get("agents").Keys()
	if slices.Contains(names, name) {
		return
	}
	for _, built := range b.Catalog.Named {
		if built.Name == name {
			b.resolveBuiltinAgent(v, built)
			return
		}
	}
	m := v.WrongName("agent", names)
	b.addMistake(m.WithHint(cmp.Or(m.Hint, fmt.Sprintf("define it: agents: {%s: {type: program, exec: [COMMAND]}}", name))))
}

// resolveBuiltinAgent adds an agent that needs no entry.
func (b *builder) resolveBuiltinAgent(v config.Value, named config.Named) {
	if _, done := b.agents[named.Name]; done {
		return
	}
	kind, _ := b.Catalog.Agent(named.Type)
	if entry := b.Catalog.Entry(named); named.Type != "" && !kind.NotYet && entry.OK() {
		b.agents[named.Name] = b.resolveAgentEntry(named.Name, kind, entry)
		return
	}
	why := "is not supported yet"
	if named.Type == "" {
		why = "needs options"
	}
	b.addMistake(v.Wrong("the built-in agent %q %s (%s)", named.Name, why, named.Doc).
		WithHint("define an agent under agents: and name that one"))
}

// resolveOwnOrUsual returns the agent that own names, or else the usual one, and reports whether
// either is set.
func (b *builder) resolveOwnOrUsual(own config.Value) (name string, named bool) {
	if own.OK() {
		b.resolveAgent(own)
	}
	if own.IsSet() {
		return own.String(), true
	}
	usual := b.Config.Get("agent") // newBuilder has resolved it
	return usual.String(), usual.IsSet()
}

// resolveStepAgent returns the name of the agent that takes a step.
func (b *builder) resolveStepAgent(step config.Value) string {
	name, named := b.resolveOwnOrUsual(step.Get("agent"))
	if !named {
		m := b.Config.Get("agent").Wrong("no agent is named: add agent: NAME, and define NAME under agents")
		if names := b.Config.Get("agents").Keys(); len(names) > 0 {
			m.Hint = "there is " + strings.Join(names, ", ")
		}
		b.addMistake(m)
	}
	return name
}

// resolveStepModel returns a step's own model, and refuses it if the step's agent has no choice of
// models.
func (b *builder) resolveStepModel(v config.Value, agent string) string {
	spec, known := b.agents[agent]
	kind, _ := b.Catalog.Agent(spec.Type)
	if v.OK() && known && !slices.Contains(kind.Takes, "model") {
		b.addMistake(v.Wrong("agent %s (type %s) has no choice of models", agent, spec.Type))
	}
	b.refuseSecrets(v, v.String())
	return v.String()
}
