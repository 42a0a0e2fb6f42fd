// Package aider is the agent that is aider, run without a terminal: a process for each turn, which reads the
// prompt from a file, changes files in its folder, and prints what it does and what its model has cost.
//
// What the package knows of the program is what its documentation says: it is tested with a stand-in.
package aider

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// Options are the settings of such an agent besides those that all agents have.
type Options struct {
	// Exec is the program, and arguments that come before all others; empty means `aider` on the agent's
	// PATH. A first word with a slash is relative to the workspace.
	Exec []string `json:"exec,omitempty"`
}

// Agent runs the program once for every turn. Each turn is a conversation of its own: the program keeps the
// record of one in the repository, where it would be committed.
type Agent struct {
	spec mulligan.AgentSpec
	opt  Options
	deps agent.Deps
}

// New returns an agent for a spec whose options are Options.
func New(spec mulligan.AgentSpec, deps agent.Deps) (*Agent, error) {
	var opt Options
	if err := agent.Decode(spec, &opt, &opt.Exec, "aider", Taken); err != nil {
		return nil, err
	}
	return &Agent{spec: spec, opt: opt, deps: deps}, nil
}

// Turn passes the program the prompt, and takes its output as the message.
func (a *Agent) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t.Conversation = ""
	env := a.deps.Env(a.spec, t, agent.ConversationOf(t), agent.Variables{Names: Env()})
	files, err := writePrompt(t.Prompt, env)
	if err != nil {
		return mulligan.Result{}, err
	}
	defer os.RemoveAll(files)
	defer removeNewCaches(t.Dir, listCaches(t.Dir))

	log := agent.NewLog(t.Log, stop)
	reply, complaint, spent := agent.NewReply(), agent.NewLastLine(), &usageReader{}
	stdout, stderr := a.deps.Stream(log, reply, spent), a.deps.Stream(log, complaint)
	exit, err := a.deps.Run(ctx, a.spec, t, process.Spec{Argv: a.commandLine(t, files), Env: env, Stdout: stdout, Stderr: stderr})
	stdout.Close() // writes what the filter holds back; log.Err reports a log that cannot be written
	stderr.Close()
	if err := cmp.Or(log.Err(), err); err != nil {
		return agent.StartFailure(err, a.opt.Exec, t)
	}
	var r mulligan.Result
	r.Ending, r.Reason = agent.EndingOf(exit, complaint.String())
	complaint.AddTo(&r)
	r.Message, r.MessageCut = reply.Message()
	r.Usage = spent.finish()
	return r, nil
}

// writePrompt writes the prompt to a file in a temporary folder of its own, which it returns. The program's
// records of the turn go there too.
func writePrompt(prompt string, env []string) (dir string, err error) {
	temp, _ := process.Lookup(env, "TMPDIR")
	if dir, err = os.MkdirTemp(temp, "mulligan-aider-"); err != nil {
		return "", fmt.Errorf("make a folder for the prompt: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, promptFile), []byte(prompt), 0o600); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("write the prompt: %w", err)
	}
	return dir, nil
}

// listCaches returns the folders in which the program keeps its map of a repository: it makes one in the
// repository, and has no setting for that.
func listCaches(dir string) map[string]bool {
	found := map[string]bool{}
	paths, _ := filepath.Glob(filepath.Join(dir, ".aider.tags.cache.v*")) // the pattern is right
	for _, path := range paths {
		found[path] = true
	}
	return found
}

// removeNewCaches removes the caches that were not there before: they are no work of the agent's, and would be
// committed. One that a person's own use of the program has made stays.
func removeNewCaches(dir string, before map[string]bool) {
	for path := range listCaches(dir) {
		if !before[path] {
			os.RemoveAll(path) // what is left is seen in the diff
		}
	}
}
