// Package claudecode runs hooks at the moments of an agent, in the protocol of Claude Code: the
// event as JSON on their standard input, and exit codes and JSON as their answer. Claude Code takes
// a hook that could not tell for an allow; here it is broken. The package also reads such hooks
// from other programs' settings.
package claudecode

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/process"
)

// The ways to run a hook.
const (
	TypeCommand = "command"
	TypeHTTP    = "http"
	TypePrompt  = "prompt"
	TypeGuard   = "guard" // no hook of a user's: the agent tells the guard of its tasks
)

// DefaultTimeout is the time limit of a hook that has none of its own.
const DefaultTimeout = 60 * time.Second

// sideBySide bounds the hooks that run at once.
const sideBySide = 8

// A Runner runs the hooks of a moment side by side.
type Runner struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with: a hook is the user's own command
	Limit   int      // characters that the agent gets of a hook at most; 0: the default
	// FileLimit is how large the file of a hook's output may become; 0: the default.
	FileLimit int64
	// Filter takes secrets out of what hooks print; nil means that nothing is filtered. Close
	// writes what the filter holds back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
	// Judge has an agent take a turn in a conversation of its own; "" is the usual agent. The
	// result has what the turn used, whatever the error. nil if there is no agent to ask.
	Judge func(ctx context.Context, agent string, t mulligan.Turn) (mulligan.Result, error)
}

var _ mulligan.AgentHookRunner = Runner{}

// A hookTask is one hook to be run.
type hookTask struct {
	hook       mulligan.AgentHook
	call       *mulligan.AgentHookCall
	event      []byte // as JSON
	outputPath string // path for the whole output; "" if it is not kept
	outputLoss error  // why it is not kept
	live       io.Writer
}

// Run runs the hooks whose matcher is for this moment.
func (r Runner) Run(ctx context.Context, in mulligan.AgentHookCall) mulligan.AgentHookReply {
	tasks := selectTasks(&in)
	results := make([]result, len(tasks))
	places := make(chan struct{}, sideBySide)
	var running sync.WaitGroup
	for i, t := range tasks {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			results[i] = r.runHook(ctx, t)
		})
	}
	running.Wait()
	return mergeResults(in.Event, results, r.textLimit())
}

// selectTasks returns the hooks of a call whose matcher is for it.
func selectTasks(in *mulligan.AgentHookCall) []hookTask {
	var tasks []hookTask
	event := eventJSON(*in)
	var live io.Writer
	if in.Live != nil {
		live = &serialWriter{to: in.Live}
	}
	for i, h := range in.Hooks {
		if !isWanted(h, *in) {
			continue
		}
		h.Name = cmp.Or(h.Name, Name(h))
		t := hookTask{hook: h, call: in, event: event, live: live}
		if in.Output != nil {
			t.outputPath, t.outputLoss = in.Output(i)
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// runHook runs one hook within its time limit.
func (r Runner) runHook(ctx context.Context, t hookTask) result {
	start := time.Now()
	t.hook.Timeout = cmp.Or(t.hook.Timeout, DefaultTimeout)
	var s result
	switch t.hook.Type {
	case TypeCommand, "":
		s = r.runCommand(ctx, t)
	case TypeHTTP:
		s = r.postEvent(ctx, t)
	case TypePrompt:
		s = r.askJudge(ctx, t)
	default:
		s = t.brokenResult("not run", "hooks of type "+t.hook.Type+" are not known here")
	}
	if t.outputLoss != nil {
		s.addMessage(t.hook.Name + ": the output is not kept: " + t.outputLoss.Error())
	}
	s.run.Name, s.run.Duration = t.hook.Name, time.Since(start)
	return s
}

// A serialWriter is safe for concurrent use: several hooks write to it at once.
type serialWriter struct {
	mu sync.Mutex
	to io.Writer
}

// Write never fails: a watcher that went away must not disturb a hook.
func (t *serialWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to.Write(p)
	return len(p), nil
}
