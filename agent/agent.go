// Package agent holds what the agent backends share: what they are built with, the environment of
// their programs, the log of a turn, and how the end of a process reads as the end of a turn.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/internal/process"
)

// Deps is what an agent is built with.
type Deps struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with
	// Filter takes secrets out of a stream; nil means that nothing is filtered. Close writes what
	// the filter holds back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
	// Confine tells what the program of a turn in a folder may write; nil: what mulligan may.
	Confine func(dir string) *process.Confinement
	// Tools calls one of the session's tools as the agent of a turn; nil if there are none. An
	// error that the session refuses the call with is a *task.Refusal.
	Tools func(ctx context.Context, t mulligan.Turn, tool string, args any) (json.RawMessage, error)
}

// Stream returns the writer for one stream of an agent's program. Each stream goes through the
// filter before any of it is kept: what is kept is cut, and the filter does not recognize half a
// secret.
func (d Deps) Stream(to ...io.Writer) io.WriteCloser {
	w := io.MultiWriter(to...)
	if d.Filter == nil {
		return unfiltered{w}
	}
	return d.Filter(w)
}

// unfiltered adds the Close of a filter to a writer.
type unfiltered struct{ io.Writer }

func (unfiltered) Close() error { return nil }

// Variables are what a backend knows of its program's environment. A name that ends in * stands
// for every variable that begins so.
type Variables struct {
	Names []string // that the program reads besides what every agent's program gets
	// Marks are what the program sets for its own children. Where mulligan itself runs below such
	// a program, the agent would take itself for a part of that one.
	Marks []string
}

// Env returns the environment of an agent's program: the built-in list, the backend's names, the
// user's names, the marks that tell which turn this is, and what the session's tools are reached
// by. The marks also tell a mulligan that runs below an agent where it is. A mark of another
// program of the same kind is left out, unless the user names it in full. A read-only turn has no
// way to the session's tools.
func (d Deps) Env(spec mulligan.AgentSpec, t mulligan.Turn, conversation string, vars Variables) []string {
	marks := []string{
		"PWD=" + t.Dir,
		"MULLIGAN_SESSION=" + t.Session,
		"MULLIGAN_STEP=" + t.Step,
		"MULLIGAN_ATTEMPT=" + strconv.Itoa(t.Attempt),
		"MULLIGAN_ITERATION=" + strconv.Itoa(t.Iteration),
		"MULLIGAN_TURN=" + strconv.Itoa(t.Number),
		"MULLIGAN_CONVERSATION=" + conversation,
	}
	base := process.AgentEnv(d.Environ, slices.Concat(vars.Names, spec.Env), spec.InheritEnv)
	env := process.Set(base, slices.Concat(marks, t.Env)...)
	foreign := process.Base(env, vars.Marks)
	return slices.DeleteFunc(env, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(foreign, pair) && !slices.Contains(spec.Env, name) ||
			t.ReadOnly && slices.Contains(toolVariables, name)
	})
}

// toolVariables are the variables by which the session's tools are reached.
var toolVariables = []string{"MULLIGAN_DOOR", "MULLIGAN_TOKEN"}

// ConversationOf returns the id of the conversation that a turn is part of. A turn that resumes
// none begins one, whose id is made of the turn alone: a turn that is repeated after a crash gets
// the same. A read-only turn is never part of a conversation that work is done in.
func ConversationOf(t mulligan.Turn) string {
	if t.ReadOnly {
		return fmt.Sprintf("%s-judge-%d", t.Session, t.Number)
	}
	return cmp.Or(t.Conversation, fmt.Sprintf("%s-turn-%d", t.Session, t.Number))
}

// RunTool runs a process of a turn for an agent that has no program: as that would run it, without limits
// of time.
func (d Deps) RunTool(ctx context.Context, t mulligan.Turn, p process.Spec) (process.Exit, error) {
	p.Dir, p.Role = t.Dir, process.RoleAgent
	if d.Confine != nil {
		p.Confine = d.Confine(t.Dir)
	}
	return d.Pool.Run(ctx, watchRefusals(ctx, p))
}

// Run runs an agent's program for a turn, within the time limits of its spec. Of the process the
// caller gives the command line, the environment and the streams.
func (d Deps) Run(ctx context.Context, spec mulligan.AgentSpec, t mulligan.Turn, p process.Spec) (process.Exit, error) {
	p.Asking = t.Asking
	if name := p.Argv[0]; t.Root != "" && strings.ContainsRune(name, '/') && !filepath.IsAbs(name) {
		p.Argv = slices.Concat([]string{filepath.Join(t.Root, name)}, p.Argv[1:])
	}
	p.Timeout, p.Idle = spec.Timeout, spec.IdleTimeout
	return d.RunTool(ctx, t, p)
}
