// Package hook runs the user's commands at the moments of a session: it compiles them to scripts,
// in which values from outside are never read as commands, and runs them in the workspace with
// their whole output kept.
package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/capture"
	"mulligan/internal/process"
)

// shell is not looked up on PATH: a folder of the workspace may be on it.
const shell = "/bin/sh"

// grace is how long a hook that is stopped has to tidy up.
const grace = 2 * time.Second

// A Runner runs hooks, each under a keeper.
type Runner struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with: a hook is the user's own command
	Limit   int      // characters that the agent gets of a hook at most; 0: the default
	// FileLimit is how large the file of a hook's output may become; 0: the default.
	FileLimit int64
	// Filter takes secrets out of what a hook prints; nil means that nothing is filtered. Close
	// writes what the filter holds back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
}

var _ mulligan.HookRunner = Runner{}

// Run runs one hook to its end.
func (r Runner) Run(ctx context.Context, c mulligan.HookCall) mulligan.HookResult {
	dir, err := findFolder(c)
	if err != nil {
		return r.newResult(c, outcome{exit: "cannot start: " + err.Error()}, capture.Evidence{})
	}
	out := capture.New(capture.Options{Path: c.Output, Limit: capture.Limit(r.Limit) - headRoom, FileLimit: r.FileLimit, Live: c.Live, Filter: r.Filter})
	exit, err := r.Pool.Run(ctx, process.Spec{
		Argv:    []string{shell, "-c", c.Hook.Script},
		Dir:     dir,
		Env:     hookEnvironment(r.Environ, dir, c),
		Stdout:  out,
		Stderr:  out,
		Timeout: c.Hook.Timeout,
		Grace:   grace,
		Role:    process.RoleHook,
	})
	return r.newResult(c, outcomeOf(exit, err), out.Finish())
}

// findFolder returns the folder that a hook runs in.
func findFolder(c mulligan.HookCall) (string, error) {
	dir := filepath.Join(c.Dir, c.Hook.Dir)
	if filepath.IsAbs(c.Hook.Dir) {
		dir = c.Hook.Dir
	}
	name := cmp.Or(c.Hook.Dir, c.Dir) // as the user wrote it
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("the folder %s is not there", name)
	case err != nil:
		return "", fmt.Errorf("the folder %s: %w", name, err)
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a folder", name)
	}
	return dir, nil
}

// An outcome is how a hook ended, in words.
type outcome struct {
	ok   bool
	exit string
	head string // the first line for the agent, of a hook that did not succeed
}

func outcomeOf(exit process.Exit, err error) outcome {
	if _, ran := errors.AsType[*process.OutputError](err); ran {
		err = nil // the result reports what became of the output; the hook ran
	}
	start, unstarted := errors.AsType[*process.StartError](err)
	switch {
	case unstarted:
		return outcome{exit: "cannot start: " + start.Err.Error()}
	case err != nil:
		return outcome{exit: err.Error()}
	case exit.TimedOut:
		return outcome{exit: exit.String(), head: "[hook " + exit.String() + "]"}
	}
	return outcome{ok: exit.OK(), exit: exit.String()}
}

// headRoom is kept free for the line about how a hook failed.
const headRoom = 80

// newResult returns the result of a call. Only a hook whose output goes to the agent has a text.
func (r Runner) newResult(c mulligan.HookCall, o outcome, e capture.Evidence) mulligan.HookResult {
	res := mulligan.HookResult{OK: o.ok, Exit: o.exit, Whole: e.Whole, Bytes: e.Bytes}
	if !c.Hook.Pipe {
		return res
	}
	res.Text, res.Cut = e.Text, e.Cut
	if strings.TrimSpace(res.Text) == "" {
		res.Text = ""
	}
	if !o.ok {
		head := cmp.Or(o.head, "[hook failed: "+o.exit+"]")
		res.Text = strings.TrimSuffix(head+"\n"+res.Text, "\n")
	}
	if e.Note != "" && e.Bytes > 0 {
		res.Text, res.Cut = capture.Noted(res.Text, e.Note, capture.Limit(r.Limit)), true
	}
	return res
}
