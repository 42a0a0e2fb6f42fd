// Package claude is the agent that is Claude Code, run without a terminal: a process for each turn,
// which reads the prompt from its standard input and writes its events as lines of JSON to standard
// output.
//
// What the package knows of the program was seen on version 2.1.325.
package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/jsonlines"
	"mulligan/internal/process"
)

// Options are the settings of such an agent besides those that all agents have.
type Options struct {
	// Exec is the program, and arguments that come before all others; empty means `claude` on the
	// agent's PATH. A first word with a slash is relative to the workspace.
	Exec []string `json:"exec,omitempty"`
	// OwnHooksOff turns off every hook of the program's own settings: the project's, the
	// person's and those of plugins. The program has no switch for some of them.
	OwnHooksOff bool `json:"own_hooks_off,omitempty"`
	// Hooks are the moments inside the agent at which the program calls `mulligan hook`.
	Hooks []agent.Hook `json:"hooks,omitempty"`
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
	if err := agent.Decode(spec, &opt, &opt.Exec, "claude", Taken); err != nil {
		return nil, err
	}
	if opt.OwnHooksOff && len(opt.Hooks) > 0 {
		return nil, fmt.Errorf("agent %s: hooks inside the agent do not run with own_hooks_off: the program turns off all hooks or none", spec.Name)
	}
	return &Agent{spec: spec, opt: opt, deps: deps}, nil
}

// Turn passes the program the prompt, and reads from its events how the turn went.
func (a *Agent) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	log := agent.NewLog(t.Log, stop)
	talk := newConversation(t.Conversation)
	transcript, complaint := newTranscript(log), agent.NewLastLine()
	transcript.allowLine = func(tool string, input json.RawMessage) string { return a.allowLine(t.Allowed, tool, input) }
	lines := jsonlines.New(transcript.takeLine, transcript.noteOversized)
	complaints := transcript.log.Complaints()
	stdout, stderr := a.deps.Stream(lines), a.deps.Stream(complaints, complaint)
	env := a.environment(t, talk.id)

	exit, err := a.deps.Run(ctx, a.spec, t, process.Spec{
		Argv: a.commandLine(t, talk), Env: env,
		Stdin: strings.NewReader(t.Prompt), Stdout: stdout, Stderr: stderr,
	})
	stdout.Close() // writes what the filter holds back; log.Err reports a log that cannot be written
	stderr.Close()
	complaints.Close()
	lines.Close()
	if err := cmp.Or(log.Err(), err); err != nil {
		return agent.StartFailure(err, a.opt.Exec, t)
	}
	r := transcript.turnResult(exit, complaint.String())
	complaint.AddTo(&r)
	r.Message, r.MessageCut = transcript.lastMessage()
	r.Denied, r.Denials = transcript.denied, transcript.denials
	r.Usage = transcript.turnUsage(isBilled(transcript.keySource, env), talk.resumes)
	r.Conversation = talk.id
	if transcript.hasLost(talk) {
		r.Conversation = "" // the next turn has to begin a new one
	}
	return r, nil
}
