// Package builtin is the one list of what is built in. An entry carries its name, one
// line of doc, its options, how they decode and how it is built: config, schema and
// help are made from it.
package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"mulligan"
	"mulligan/agent"
	"mulligan/config"
	"mulligan/gate"
	"mulligan/internal/process"
)

// Deps is what agents and gates are built with.
type Deps struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with
	Limit   int      // characters of output that a finding carries at most; 0: the default
	// Filter takes secrets out of what children print; nil where nobody asks for it.
	Filter func(io.Writer) io.WriteCloser
	// Inside are the hooks that happen inside an agent, which is told to ask mulligan at them.
	Inside []mulligan.AgentHook
	// Tools calls one of the session's tools as the agent of a turn; nil where there are none.
	Tools func(ctx context.Context, t mulligan.Turn, tool string, args any) (json.RawMessage, error)
}

func (d Deps) agent() agent.Deps {
	return agent.Deps{Pool: d.Pool, Environ: d.Environ, Filter: d.Filter, Tools: d.Tools}
}

func (d Deps) gate() gate.Deps {
	return gate.Deps{Pool: d.Pool, Environ: d.Environ, Limit: d.Limit, Filter: d.Filter}
}

// An AgentEntry is a type of agent. One without New is known and not built yet.
type AgentEntry struct {
	Name    string
	Doc     string
	Options []config.Field
	Decode  func(config.Value, config.Reader) (any, config.Mistakes)
	New     func(mulligan.AgentSpec, Deps) (mulligan.Agent, error)
	// Inside says whether it has hooks at a moment inside itself that can ask mulligan; nil: at none.
	Inside func(event string) bool
	// Takes are the keys that only some types have, and this one does: model, args, max_turns.
	Takes []string
	// Tells are the limits that it tells enough for: tokens, cost_usd.
	Tells []string
	// Permits says whether it can be told what it may do unasked.
	Permits bool
	// Env names the variables of an environment that the program exec gets besides those that
	// every agent's does; nil where it does not say.
	Env func(exec, environ []string) []string
}

// A CheckEntry is a type of check. One without New is known and not built yet, but
// for `none`, which is nothing to build.
type CheckEntry struct {
	Name    string
	Doc     string
	Options []config.Field
	Decode  func(config.Value, config.Reader) (any, config.Mistakes)
	Title   func(config.Value) string
	// Inverted says whether it passes while the work is not done; nil: never.
	Inverted func(config.Value) bool
	New      func(mulligan.CheckSpec, Deps) (mulligan.Gate, error)
}

// Catalog is the list as config and plan want it.
func Catalog() config.Catalog {
	c := config.Catalog{Named: named()}
	for _, a := range Agents() {
		c.Agents = append(c.Agents, config.Variant{
			Name: a.Name, Doc: a.Doc, Fields: a.Options, Decode: a.Decode, NotYet: a.Decode == nil,
			Inside: a.Inside, Takes: a.Takes, Tells: a.Tells, Permits: a.Permits,
		})
	}
	for _, k := range Checks() {
		c.Checks = append(c.Checks, config.Variant{
			Name: k.Name, Doc: k.Doc, Fields: k.Options, Decode: k.Decode, Title: k.Title, Inverted: k.Inverted, NotYet: k.Decode == nil,
		})
	}
	return c
}

// Schema is the table of all keys with this list in it.
func Schema() *config.Schema { return config.NewSchema(Catalog()) }

// NewAgent builds the agent that a plan names.
func NewAgent(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
	for _, a := range Agents() {
		if a.Name == spec.Type && a.New != nil {
			return a.New(spec, deps)
		}
	}
	return nil, fmt.Errorf("agent %s: this mulligan has no agents of type %q", spec.Name, spec.Type)
}

// NewGate builds the gate that a plan names.
func NewGate(spec mulligan.CheckSpec, deps Deps) (mulligan.Gate, error) {
	for _, k := range Checks() {
		if k.Name == spec.Type && k.New != nil {
			return k.New(spec, deps)
		}
	}
	return nil, fmt.Errorf("check %s: this mulligan has no checks of type %q", spec.Name, spec.Type)
}
