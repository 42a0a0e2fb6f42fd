// Package acp is the agent that is any program which speaks the Agent Client Protocol on its
// standard streams. Each turn is a process of its own; a conversation is resumed by its id if the
// program can do that.
package acp

import (
	"cmp"
	"context"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// Options are the settings of such an agent besides those that all agents have.
type Options struct {
	Exec []string `json:"exec"` // a first word with a slash is relative to the workspace
}

// Agent runs the program once for every turn.
type Agent struct {
	spec mulligan.AgentSpec
	opt  Options
	deps agent.Deps
}

// New returns an agent for a spec whose options are Options.
func New(spec mulligan.AgentSpec, deps agent.Deps) (*Agent, error) {
	var opt Options
	if err := agent.Decode(spec, &opt, &opt.Exec, "", nil); err != nil {
		return nil, err
	}
	return &Agent{spec: spec, opt: opt, deps: deps}, nil
}

const (
	cancelWithin = 2 * time.Second  // for an agent to end a turn that is cancelled, before its process is ended
	exitWithin   = 3 * time.Second  // for the process to end by itself once the turn is over
	answerWithin = 30 * time.Second // at most, for the kit to read the answers of a process that has ended
	pollInterval = 10 * time.Millisecond

	silenceWanted = 200 * time.Millisecond // without a notification, for a conversation to be complete again
	silenceLooks  = 10                     // how often that is looked at
	silenceWithin = 3 * time.Second
)

// Turn starts the program, sends it the prompt, and ends it when the turn has ended.
func (a *Agent) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	if ctx.Err() != nil {
		return mulligan.Result{Ending: mulligan.Cancelled}, nil
	}
	// The process is not ended with ctx: the agent is asked to end its turn first.
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	log := agent.NewLog(t.Log, func() { stop(nil) })
	text, complaint := a.deps.Stream(log), agent.NewLastLine()
	env := a.environment(t)

	x := newExchange(a, t, env, text)
	complaints := x.log.printer.Complaints()
	stderr := a.deps.Stream(complaints, complaint)
	outcomes := make(chan outcome, 1)
	go func() {
		outcomes <- x.converse(ctx)
		x.out.Close()
		select { // a turn that was cancelled has waited enough
		case <-running.Done():
		case <-ctx.Done():
		case <-time.After(exitWithin):
		}
		stop(context.Cause(ctx))
	}()
	exit, err := a.deps.Run(running, a.spec, t, process.Spec{Argv: a.opt.Exec, Env: env, Stdin: x.out, Stdout: x.lines, Stderr: stderr})
	stop(nil)
	o := x.finish(outcomes)
	stderr.Close()
	complaints.Close()
	x.showOpenCalls()
	message, cut := x.log.finish()
	text.Close() // writes what the filter holds back; log.Err reports a log that cannot be written
	if err := cmp.Or(log.Err(), err); err != nil {
		return agent.StartFailure(err, a.opt.Exec, t)
	}
	r := o.turnResult(ctx, exit, complaint.String())
	r.Reason = a.deps.Clean(r.Reason)
	complaint.AddTo(&r)
	r.Message, r.MessageCut = message, cut
	x.addDenials(&r)
	return r, nil
}
