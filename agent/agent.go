// Package agent is what the agent backends share: what they are built with, the
// environment that their programs get, and how a process's end reads as a turn's.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mulligan"
	"mulligan/internal/process"
)

// Deps is what an agent is built with.
type Deps struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with
	// Filter takes secrets out of a stream; nil where nobody asks for it. Close writes
	// what is held back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
	// Tools calls one of the session's tools as the agent of a turn; nil where there are none.
	// What the session refuses is a *task.Refusal.
	Tools func(ctx context.Context, t mulligan.Turn, tool string, args any) (json.RawMessage, error)
}

// Stream is the writer for one stream of an agent's program. What is kept of a stream is
// cut, and half a secret is not known as one: so each goes through the filter first.
func (d Deps) Stream(to ...io.Writer) io.WriteCloser {
	w := io.MultiWriter(to...)
	if d.Filter == nil {
		return unfiltered{w}
	}
	return d.Filter(w)
}

type unfiltered struct{ io.Writer }

func (unfiltered) Close() error { return nil }

// Env is the environment of an agent's program: the built-in list, what the user
// named, the marks that say which turn this is, and what the session's tools are reached by.
// The marks also tell a mulligan that runs below an agent where it is.
func (d Deps) Env(spec mulligan.AgentSpec, t mulligan.Turn, conversation string) []string {
	marks := []string{
		"PWD=" + t.Dir,
		"MULLIGAN_SESSION=" + t.Session,
		"MULLIGAN_STEP=" + t.Step,
		"MULLIGAN_ATTEMPT=" + strconv.Itoa(t.Attempt),
		"MULLIGAN_ITERATION=" + strconv.Itoa(t.Iteration),
		"MULLIGAN_TURN=" + strconv.Itoa(t.Number),
		"MULLIGAN_CONVERSATION=" + conversation,
	}
	return process.Set(process.AgentEnv(d.Environ, spec.Env, spec.InheritEnv), slices.Concat(marks, t.Env)...)
}

// FreshConversation is the id of the conversation that a turn begins. It is made of
// the turn alone, so that a turn repeated after a crash has the same.
func FreshConversation(t mulligan.Turn) string {
	return fmt.Sprintf("%s-turn-%d", t.Session, t.Number)
}

// Ended says how a turn ended whose program ended so. A turn that we stopped is not
// the program's doing, whatever code it gave while it was stopped.
func Ended(exit process.Exit) (mulligan.Ending, string) {
	switch {
	case exit.Cancelled:
		return mulligan.Cancelled, ""
	case exit.TimedOut, exit.IdledOut:
		return mulligan.TimedOut, exit.String()
	case !exit.OK():
		return mulligan.Crashed, exit.String()
	}
	return mulligan.Finished, ""
}

// NotRun is the result of a turn whose program was not run to an end that it chose, or
// the error where that is mulligan's own trouble. A program that is not there will not
// be there at the next try either.
func NotRun(err error, argv []string, t mulligan.Turn) (mulligan.Result, error) {
	if _, gone := os.Stat(t.Dir); gone != nil {
		return mulligan.Result{}, fmt.Errorf("the workspace cannot be entered: %w", gone)
	}
	if errors.Is(err, process.ErrKeeperLost) {
		return mulligan.Result{Ending: mulligan.Crashed, Reason: err.Error()}, nil
	}
	var start *process.StartError
	if !errors.As(err, &start) {
		return mulligan.Result{}, err
	}
	why := cannotStart(start.Err, argv[0])
	if why == "" {
		return mulligan.Result{}, err
	}
	return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Missing, Reason: why}, nil
}

// cannotStart says what is wrong with a program itself, "" where something else is.
func cannotStart(err error, name string) string {
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsRune(name, '/'):
		return fmt.Sprintf("the program %s does not exist, or its interpreter does not (a path with a slash is relative to the workspace)", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the program %s was not found on the agent's PATH", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("the program %s is not executable", name)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("the program %s is neither a binary of this system nor a script that begins with #!", name)
	}
	return ""
}
