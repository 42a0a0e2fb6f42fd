// Package claudecode runs hooks at the moments of an agent, in the protocol that Claude Code
// gave them: the event as JSON on their standard input, and exit codes and JSON as their
// answer. Where that program lets a hook that could not tell count as an allow, here it is
// broken. The package also reads such hooks from other programs' settings.
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
)

// DefaultTimeout is for a hook that has none of its own.
const DefaultTimeout = 60 * time.Second

// sideBySide bounds the hooks that run at once.
const sideBySide = 8

// A Runner runs the hooks of a moment side by side.
type Runner struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with: a hook is the user's own command
	Limit   int      // characters that the agent gets of a hook at most; 0: the default
	// Filter takes secrets out of what hooks say; nil where nobody asks for it. Close
	// writes what is held back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
	// Judge has an agent take a turn in a conversation of its own; "" is the usual one. What the
	// turn used is in the result, whatever the error. nil where there is nobody to ask.
	Judge func(ctx context.Context, agent string, t mulligan.Turn) (mulligan.Result, error)
}

var _ mulligan.AgentHookRunner = Runner{}

// A task is one hook to be run.
type task struct {
	hook  mulligan.AgentHook
	call  *mulligan.AgentHookCall
	event []byte // as JSON
	whole string // path for the whole output; "" where it is not kept
	lost  string // why it is not
	live  io.Writer
}

// Run runs the hooks whose matcher is for this moment.
func (r Runner) Run(ctx context.Context, in mulligan.AgentHookCall) mulligan.AgentHookReply {
	tasks := tasksOf(&in)
	said := make([]said, len(tasks))
	places := make(chan struct{}, sideBySide)
	var running sync.WaitGroup
	for i, t := range tasks {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			said[i] = r.hook(ctx, t)
		})
	}
	running.Wait()
	return merge(in.Event, said, r.limit())
}

func tasksOf(in *mulligan.AgentHookCall) []task {
	var tasks []task
	event := eventJSON(*in)
	live := sharedWriter(in.Live)
	for i, h := range in.Hooks {
		if !wanted(h, *in) {
			continue
		}
		h.Name = cmp.Or(h.Name, Name(h))
		t := task{hook: h, call: in, event: event, live: live}
		if in.Output != nil {
			path, err := in.Output(i)
			if err != nil {
				t.lost = err.Error()
			}
			t.whole = path
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// hook runs one hook, in its time.
func (r Runner) hook(ctx context.Context, t task) said {
	start := time.Now()
	t.hook.Timeout = cmp.Or(t.hook.Timeout, DefaultTimeout)
	var s said
	switch t.hook.Type {
	case TypeCommand, "":
		s = r.command(ctx, t)
	case TypeHTTP:
		s = r.post(ctx, t)
	case TypePrompt:
		s = r.ask(ctx, t)
	default:
		s = t.broken("not run", "hooks of type "+t.hook.Type+" are not known here")
	}
	if t.lost != "" {
		s.tell(t.hook.Name + ": the output is not kept: " + t.lost)
	}
	s.run.Name, s.run.Duration = t.hook.Name, time.Since(start)
	return s
}

// sharedWriter lets several hooks write to one that takes one at a time.
func sharedWriter(to io.Writer) io.Writer {
	if to == nil {
		return nil
	}
	return &turns{to: to}
}

type turns struct {
	mu sync.Mutex
	to io.Writer
}

// Write never fails: a watcher that went away is nobody's concern.
func (t *turns) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to.Write(p)
	return len(p), nil
}
