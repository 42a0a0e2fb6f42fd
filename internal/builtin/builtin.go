// Package builtin is the one list of what is built in. An entry has its name, one line of doc,
// its options, how they decode and how it is built: config, schema and help are made from it.
package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"mulligan"
	"mulligan/agent"
	"mulligan/config"
	"mulligan/internal/process"
)

// Deps is what agents and gates are built with.
type Deps struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with
	// CheckEnv is what a check has besides: how it reaches its session, as NAME=value pairs.
	CheckEnv []string
	Limit    int // characters of output that a finding carries at most; 0: the default
	// Outfit is what agents have of their own.
	Outfit Outfit
	// FileLimit is how large the file of a check's output may become; 0: the default.
	FileLimit int64
	// Filter takes secrets out of what children print; nil: they stay.
	Filter func(io.Writer) io.WriteCloser
	// Inside are the hooks that happen inside an agent, which is told to ask mulligan at them.
	Inside []mulligan.AgentHook
	// Tools calls one of the session's tools as the agent of a turn; nil if there are none.
	Tools func(ctx context.Context, t mulligan.Turn, tool string, args any) (json.RawMessage, error)
	// Confinement tells how agents are confined that their specs say are; nil: they are not.
	Confinement *Confinement
	// Judge decides the checks that an agent is asked for; nil if there is none.
	Judge mulligan.Judge
}

// An AgentEntry is a type of agent, with how it is built.
type AgentEntry struct {
	config.Variant
	New newAgentFunc
	// Env returns the names of the variables of an environment that the program exec gets besides
	// those that every agent's program gets; nil: it is not known which.
	Env func(exec, environ []string) []string
}

type newAgentFunc func(mulligan.AgentSpec, agent.Deps) (mulligan.Agent, error)

// A CheckEntry is a type of check, with how it is built. New is nil if there is nothing to build.
type CheckEntry struct {
	config.Variant
	New func(mulligan.CheckSpec, Deps) (mulligan.Gate, error)
}

// Catalog returns the list in the form that config and plan use.
func Catalog() config.Catalog {
	c := config.Catalog{Named: namedAgents()}
	for _, a := range Agents() {
		c.Agents = append(c.Agents, a.Variant)
	}
	for _, k := range Checks() {
		c.Checks = append(c.Checks, k.Variant)
	}
	return c
}

// Schema returns the table of all keys with this list in it.
func Schema() *config.Schema { return config.NewSchema(Catalog()) }

// NewAgent returns the agent of a spec.
func NewAgent(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
	for _, a := range Agents() {
		if a.Name != spec.Type || a.New == nil {
			continue
		}
		spec, err := deps.addInsideHooks(spec, a.Inside)
		if err != nil {
			return nil, err
		}
		confined := deps.Confinement.confineAgent(spec, deps.Environ, deps.Outfit)
		spec, environ := deps.Outfit.dress(spec, deps.Environ)
		built, err := a.New(spec, agent.Deps{Pool: deps.Pool, Environ: environ, Filter: deps.Filter, Tools: deps.Tools, Confine: confined})
		if err != nil || spec.Confined == "" {
			return built, err
		}
		home, _ := process.Lookup(deps.Environ, "HOME")
		return agent.NoteRefusals(built, spec, home), nil
	}
	return nil, fmt.Errorf("agent %s: this mulligan has no agents of type %q", spec.Name, spec.Type)
}

// NewGate returns the gate of a spec.
func NewGate(spec mulligan.CheckSpec, deps Deps) (mulligan.Gate, error) {
	for _, k := range Checks() {
		if k.Name == spec.Type && k.New != nil {
			return k.New(spec, deps)
		}
	}
	return nil, fmt.Errorf("check %s: this mulligan has no checks of type %q", spec.Name, spec.Type)
}
