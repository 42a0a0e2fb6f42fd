//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// answerWait is for a keeper that does not answer although it must have by now.
const answerWait = stuckWait + 5*time.Second

// Run runs a child to its end, and ends what it leaves behind. How it ended is a value.
// The error is a *StartError where it could not be started, ErrKeeperLost where it is not
// known how it ended, or an *OutputError or the input's own beside a true Exit. When ctx ends the child and its
// descendants are stopped and the Exit is Cancelled.
func (p *Pool) Run(ctx context.Context, s Spec) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Code: -1, Cancelled: true}, nil
	}
	st, err := s.resolve()
	if err != nil {
		return Exit{Code: -1}, &StartError{Argv: s.Argv, Err: err}
	}
	files, err := openStdio(s)
	if err != nil {
		return Exit{Code: -1}, &StartError{Argv: s.Argv, Err: err}
	}
	defer files.closePipes()
	k, err := p.startOnKeeper(st, files)
	files.closeChild()
	if err != nil {
		return Exit{Code: -1}, &StartError{Argv: s.Argv, Err: err}
	}
	files.startCopying(&p.buffers)
	r := run{spec: s, start: st, keeper: k, files: files, exit: Exit{Code: -1}, began: time.Now()}
	err = r.wait(ctx)
	if r.signalled {
		r.awaitOwnStop(ctx)
	}
	if r.reusable && !s.Single {
		p.returnKeeper(k)
	} else {
		p.dropKeeper(k)
	}
	if broke := files.finish(); err == nil {
		err = broke
	}
	return r.exit, err
}

// startOnKeeper gives the child to a keeper. One that is not there, or does not even take the order (it was
// killed while idle, or by an interrupt that was typed before it had left our session), has started
// nothing, so that another can be asked.
func (p *Pool) startOnKeeper(st *start, files *stdio) (*keeper, error) {
	for tries := 1; ; tries++ {
		k, err := p.takeKeeper()
		if err != nil {
			return nil, err
		}
		if err = k.awaitReady(); err == nil {
			err = k.sendOrder(order{Start: st}, files.child[:]...)
		}
		if err == nil {
			return k, nil
		}
		p.dropKeeper(k)
		if tries > maxIdle {
			return nil, fmt.Errorf("%w: %v", ErrKeeperLost, errors.Join(err, k.confirmLoss()))
		}
	}
}

// A run is one child under way.
type run struct {
	spec       Spec
	start      *start
	keeper     *keeper
	files      *stdio
	exit       Exit
	began      time.Time
	pid        int
	childEnded bool      // the child itself has ended
	reusable   bool      // the keeper can be used again
	signalled  bool      // the child was ended by a signal of somebody else's
	lastAsking time.Time // when the child was last seen to wait for a person

	late <-chan time.Time // the keeper should have answered by now
}

func (r *run) wait(ctx context.Context) error {
	timeout, stopTimeout := newTimeout(r.spec.Timeout)
	defer stopTimeout()
	idle := r.newIdleTimer()
	defer idle.Stop()
	done := ctx.Done()
	for {
		select {
		case rep, ok := <-r.keeper.reports:
			if !ok {
				return r.handleLostKeeper()
			}
			if end, err := r.handleReport(rep); end {
				return err
			}
		case <-timeout:
			r.stop(func() { r.exit.TimedOut, r.exit.Limit = true, r.spec.Timeout })
		case <-idle.C:
			if left := r.nextIdleCheck(); left > 0 {
				idle.Reset(left)
				continue
			}
			r.stop(func() { r.exit.IdledOut, r.exit.Limit = true, r.spec.Idle })
		case <-done:
			done = nil
			r.cancel(ctx)
		case <-r.late:
			r.keeper.cmd.Process.Kill() // its reports end with it
		}
	}
}

// newIdleTimer is a timer that tells when to look whether the child was silent for too long.
func (r *run) newIdleTimer() *time.Timer {
	t := time.NewTimer(max(r.spec.Idle, 1))
	switch {
	case r.spec.Idle <= 0:
		t.Stop()
	case r.spec.Asking != nil:
		t.Reset(r.nextIdleCheck())
	}
	return t
}

// nextIdleCheck is how long the child may be silent before it is looked at again; nothing means
// that it was for too long. A question is seen only while it is open, so that looking has
// to come often.
func (r *run) nextIdleCheck() time.Duration {
	quiet := r.files.silentFor()
	if r.spec.Asking == nil {
		return r.spec.Idle - quiet
	}
	if r.spec.Asking() {
		r.lastAsking = time.Now()
	}
	quiet = min(quiet, time.Since(r.lastAsking))
	return min(r.spec.Idle-quiet, max(min(r.spec.Idle/20, time.Second), time.Millisecond))
}

// handleReport takes a report in, and says whether it was the last.
func (r *run) handleReport(rep report) (end bool, err error) {
	switch {
	case rep.Failed != 0:
		r.reusable = true
		return true, &StartError{Argv: r.spec.Argv, Err: explainStartFailure(string(r.start.Path), rep.Failed)}
	case rep.Started != 0:
		r.pid = rep.Started
	}
	if rep.Ended != nil {
		r.recordEnd(rep.Ended)
	}
	if c := rep.Clean; c != nil {
		r.exit.Left, r.exit.Stuck = c.Left, c.Stuck
		r.reusable = c.Stuck == 0
		return true, nil
	}
	return false, nil
}

func (r *run) recordEnd(e *ended) {
	if !e.Stopped {
		r.exit = Exit{} // the order to stop met nobody: it had ended by itself
	}
	r.childEnded, r.signalled = true, !e.Stopped && e.wasAskedToEnd()
	r.exit.Code, r.exit.Core = e.Code, e.Core
	if e.Signal != 0 {
		r.exit.Signal = e.Signal.String()
	}
	r.exit.Duration = time.Since(r.began)
	r.late = time.After(leftGrace + answerWait)
}

// stop asks the keeper to end the child, once: a child that has ended by itself was not
// stopped, whatever it left behind.
func (r *run) stop(why func()) {
	if r.childEnded || r.late != nil {
		return
	}
	why()
	grace := r.spec.Grace
	if grace <= 0 {
		grace = DefaultGrace
	}
	r.late = time.After(grace + answerWait)
	r.keeper.sendOrder(order{Stop: &grace})
}

func (r *run) cancel(ctx context.Context) {
	r.stop(func() { r.exit.Cancelled = true })
	if errors.Is(context.Cause(ctx), ErrNow) {
		r.keeper.sendOrder(order{Kill: true})
	}
}

// ownStopWait is for the word that we are to stop as well.
const ownStopWait = 500 * time.Millisecond

// awaitOwnStop is for a child that somebody has asked to end. Who stops a whole service, or a job, asks all of its
// processes at once: if ours hears it a moment later, the child was stopped, and has not failed.
func (r *run) awaitOwnStop(ctx context.Context) {
	select {
	case <-ctx.Done():
		r.exit.Cancelled = true
	case <-time.After(ownStopWait):
	}
}

// handleLostKeeper ends what can be found of a child whose keeper is gone. The system has killed the
// child itself.
func (r *run) handleLostKeeper() error {
	err := r.keeper.confirmLoss()
	if r.pid != 0 {
		killSession(r.pid)
	}
	killEscaped(r.start.Env) // where the keeper had no time to say which child it is, too
	if !r.childEnded {
		r.exit.Duration = time.Since(r.began)
	}
	return err
}

// newTimeout is a channel that never fires where d is 0.
func newTimeout(d time.Duration) (<-chan time.Time, func() bool) {
	if d <= 0 {
		return nil, func() bool { return true }
	}
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// resolve finds the program and the folder, with their own words for what is missing: the
// system would say the same for both.
func (s Spec) resolve() (*start, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return nil, errors.New("no command given")
	}
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	if s.Dir != "" {
		env = Set(env, "PWD="+dir)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("the folder to run it in: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("the folder to run it in: %w", &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR})
	}
	path, err := Find(s.Argv[0], dir, env)
	if err != nil {
		return nil, err
	}
	return &start{Path: []byte(path), Argv: toBytes(s.Argv), Dir: []byte(dir), Env: toBytes(Set(env)), Agent: s.Agent}, nil
}

// Find gives the path of a program as Run would start it: a name with a slash is relative to
// dir, any other is looked up in env's PATH. What is not there is fs.ErrNotExist.
func Find(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, checkExecutable(path)
	}
	search, _ := Lookup(env, "PATH")
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			continue // a program that a workspace happens to hold must not run by accident
		}
		if path := filepath.Join(folder, name); checkExecutable(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no program %q in PATH: %w", name, fs.ErrNotExist)
}

func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "exec", Path: path, Err: syscall.EISDIR}
	case info.Mode()&0o111 == 0:
		return &fs.PathError{Op: "exec", Path: path, Err: syscall.EACCES}
	}
	return nil
}

func explainStartFailure(path string, errno syscall.Errno) error {
	err := &fs.PathError{Op: "exec", Path: path, Err: errno}
	switch errno {
	case syscall.ENOENT:
		return fmt.Errorf("%w: the file is there, but not the interpreter that its first line names", err)
	case syscall.ENOEXEC:
		return fmt.Errorf("%w: a script needs a first line that names its interpreter (#!/bin/sh)", err)
	}
	return err
}
