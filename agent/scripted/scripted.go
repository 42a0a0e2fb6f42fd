// Package scripted is the agent that plays a file of turns, so that a workflow can be rehearsed
// without spending a token. It runs inside mulligan; only the commands of its script are processes.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/turnlog"
)

// Options are a script and the file that it was read from.
type Options struct {
	Path string `json:"script"` // for messages
	Script
}

// An Agent plays a script. Which turn it plays follows from the Turn alone, so that a resumed
// session and a repeated turn play what they should; only `times` counts the takings of a turn, in
// this process.
type Agent struct {
	spec  mulligan.AgentSpec
	opt   Options
	deps  agent.Deps
	mu    sync.Mutex
	taken map[place]int
}

// A place is where in a script a turn is: its step and attempt, or its purpose and number.
type place struct {
	step    string
	purpose mulligan.Purpose
	number  int
}

// New returns an agent for a spec whose options are Options.
func New(spec mulligan.AgentSpec, deps agent.Deps) (*Agent, error) {
	var opt Options
	if err := json.Unmarshal(spec.Options, &opt); err != nil {
		return nil, fmt.Errorf("agent %s: options: %w", spec.Name, err)
	}
	return &Agent{spec: spec, opt: opt, deps: deps, taken: map[place]int{}}, nil
}

// A limitError stops a turn that reached one of the agent's time limits; its words are the reason.
type limitError string

func (e limitError) Error() string { return string(e) }

// Turn plays the script's turn for t.
func (a *Agent) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if a.spec.Timeout > 0 {
		timer := time.AfterFunc(a.spec.Timeout, func() { stop(limitError(fmt.Sprintf("timed out after %s", a.spec.Timeout))) })
		defer timer.Stop()
	}
	log := agent.NewLog(t.Log, func() { stop(nil) })
	p := &player{
		agent:        a,
		turn:         t,
		log:          turnlog.NewPrinter(log),
		conversation: agent.ConversationOf(t),
		reply:        agent.NewReply(),
	}
	if a.spec.IdleTimeout > 0 {
		watch := newSilenceWatch(log, a.spec.IdleTimeout, t.Asking, func() {
			stop(limitError(fmt.Sprintf("silent for %s", a.spec.IdleTimeout)))
		})
		defer watch.timer.Stop()
		p.log = turnlog.NewPrinter(watch)
	}
	r, err := p.play(ctx)
	if lost := log.Err(); lost != nil {
		return mulligan.Result{}, lost
	}
	return r, err
}

// findTurn returns the turn of the script that t plays, or why there is none. A turn that belongs
// to no attempt need not be in the script: then nothing is done.
func (a *Agent) findTurn(t mulligan.Turn) (actions Turn, missing string) {
	if t.Purpose != mulligan.ForAttempt {
		other, ok := a.opt.Others[t.Purpose]
		if ok || t.Number > len(a.opt.Turns) {
			return other, ""
		}
	}
	turns, number, what := a.opt.Turns, t.Number, fmt.Sprintf("turn %d", t.Number)
	if a.opt.Steps != nil {
		var ok bool
		if turns, ok = a.opt.Steps[t.Step]; !ok {
			return nil, fmt.Sprintf("the script has no step %q: %s has %s",
				t.Step, a.opt.Path, strings.Join(slices.Sorted(maps.Keys(a.opt.Steps)), ", "))
		}
		number, what = t.Attempt, fmt.Sprintf("turn for attempt %d of step %s", t.Attempt, t.Step)
	}
	if number < 1 || number > len(turns) {
		return nil, fmt.Sprintf("the script has no %s: %s has %d", what, a.opt.Path, len(turns))
	}
	return turns[number-1], ""
}

// countTaking counts the takings of a turn, this one included.
func (a *Agent) countTaking(t mulligan.Turn) int {
	at := place{number: t.Number}
	if a.opt.Steps != nil {
		at = place{step: t.Step, number: t.Attempt}
	}
	if t.Purpose != mulligan.ForAttempt {
		at = place{purpose: t.Purpose, number: t.Number}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken[at]++
	return a.taken[at]
}
