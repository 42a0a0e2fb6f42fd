// Package program is the agent that is any program: it reads the prompt from its standard input and
// writes its reply to standard output.
package program

import (
	"cmp"
	"context"
	"strings"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// Options are the settings of such an agent besides those that all agents have.
type Options struct {
	Exec      []string `json:"exec"`      // a first word with a slash is relative to the workspace
	Continues bool     `json:"continues"` // it keeps conversations, by MULLIGAN_CONVERSATION
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

// Turn passes the program the prompt, and takes its output as the message.
func (a *Agent) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	log := agent.NewLog(t.Log, stop)
	reply, complaint := agent.NewReply(), agent.NewLastLine()
	stdout, stderr := a.deps.Stream(log, reply), a.deps.Stream(log, complaint)
	if !a.opt.Continues {
		t.Conversation = ""
	}
	conversation := agent.ConversationOf(t)

	exit, err := a.deps.Run(ctx, a.spec, t, process.Spec{
		Argv: a.opt.Exec, Env: a.deps.Env(a.spec, t, conversation, agent.Variables{}),
		Stdin: strings.NewReader(t.Prompt), Stdout: stdout, Stderr: stderr,
	})
	stdout.Close() // writes what the filter holds back; log.Err reports a log that cannot be written
	stderr.Close()
	if err := cmp.Or(log.Err(), err); err != nil {
		return agent.StartFailure(err, a.opt.Exec, t)
	}
	var r mulligan.Result
	r.Ending, r.Reason = agent.EndingOf(exit, complaint.String())
	complaint.AddTo(&r)
	r.Message, r.MessageCut = reply.Message()
	if a.opt.Continues {
		r.Conversation = conversation
	}
	return r, nil
}
