// Package codex is the agent that is Codex. Each turn is a process of its own: Codex's app server,
// which exchanges lines of JSON on its standard streams. Unlike `codex exec` the app server has
// fields of their own for what went wrong, for when a rate limit ends, and for what it wants
// allowed.
//
// What the package knows of the program was seen on version 0.166.0.
package codex

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/jsonlines"
	"mulligan/internal/process"
)

// Options are the settings of such an agent besides those that all agents have.
type Options struct {
	// Exec is the program, and arguments that come before all others; empty means `codex` on the
	// agent's PATH. A first word with a slash is relative to the workspace.
	Exec []string `json:"exec,omitempty"`
	// Hooks are the moments inside the agent at which Codex calls `mulligan hook EVENT`.
	Hooks []agent.Hook `json:"hooks,omitempty"`
}

// Agent runs the program once for every turn.
type Agent struct {
	spec mulligan.AgentSpec
	opt  Options
	deps agent.Deps
	now  func() time.Time
}

// New returns an agent for a spec whose options are Options.
func New(spec mulligan.AgentSpec, deps agent.Deps) (*Agent, error) {
	a := &Agent{spec: spec, deps: deps, now: time.Now}
	if err := agent.Decode(spec, &a.opt, &a.opt.Exec, "codex", Taken); err != nil {
		return nil, err
	}
	for _, h := range a.opt.Hooks {
		if !Has(h.Event) {
			return nil, fmt.Errorf("agent %s: Codex has no hooks at %s", spec.Name, h.Event)
		}
	}
	return a, nil
}

// Turn starts the app server, sends it the prompt, and ends it when the turn has ended.
func (a *Agent) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	log := agent.NewLog(t.Log, stop)
	text, complaint := a.deps.Stream(log), agent.NewLastLine()
	env, argv := a.environment(t), a.commandLine(t)

	var asking sync.WaitGroup
	x := newExchange(a, t, env, text)
	complaints := x.log.Complaints()
	stderr := a.deps.Stream(complaints, complaint)
	x.permit = func(what, same string, answer func(allowed bool)) {
		asking.Go(func() { answer(a.deps.Permit(ctx, t, what, same)) })
	}
	lines := jsonlines.New(x.takeLine, x.noteOversized)
	x.sendRequest(idInitialize, "initialize", initializeParams())
	exit, err := a.deps.Run(ctx, a.spec, t, process.Spec{Argv: argv, Env: env, Stdin: x.out, Stdout: lines, Stderr: stderr})
	stop()
	asking.Wait()
	lines.Close()
	message, cut := x.message.Finish()
	stderr.Close()
	complaints.Close()
	x.log.EndLine()
	text.Close() // writes what the filter holds back; log.Err reports a log that cannot be written
	if err := cmp.Or(log.Err(), err); err != nil {
		return agent.StartFailure(err, argv, t)
	}
	r := x.turnResult(exit, complaint.String())
	complaint.AddTo(&r)
	r.Message, r.MessageCut = message, cut
	return r, nil
}
