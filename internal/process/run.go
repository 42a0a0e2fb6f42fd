//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// answerWait is how long a keeper may take to answer after all of its own waits.
const answerWait = stuckWait + 5*time.Second

// Run runs a child to its end, and ends the processes that it leaves behind. A failing child is no
// error: the Exit tells how it ended. The error is a *StartError if the child could not be started,
// ErrKeeperLost if it is not known how it ended, or, beside a valid Exit, an *OutputError or the error of
// the Spec's Stdin. When ctx ends, the child and its descendants are stopped and the Exit is Cancelled.
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
	r := run{pool: p, spec: s, start: st, keeper: k, files: files, exit: Exit{Code: -1}, began: time.Now()}
	err = r.wait(ctx)
	if r.signalled {
		r.awaitOwnStop(ctx)
	}
	if broke := files.finish(); err == nil {
		err = broke
	}
	if r.exit.Stuck > 0 {
		k.conn.Close() // it stays until they are gone
	} else {
		k.leave()
	}
	return r.exit, err
}

// startOnKeeper gives the child to a keeper. One that does not take the order (it is no program of ours, or was ended by
// an interrupt that was typed before it had left our session) has started nothing: another one is tried, which is
// our own program.
func (p *Pool) startOnKeeper(st *start, files *stdio) (*keeper, error) {
	for tries := 1; ; tries++ {
		k, err := p.startKeeper(tries > 1)
		if err == nil {
			if err = k.sendOrder(order{Start: st}, files.child[:]...); err == nil {
				return k, nil
			}
			err = errors.Join(err, k.confirmLoss())
		}
		if tries == startTries {
			return nil, fmt.Errorf("start a keeper: %w", err)
		}
	}
}

// A run is one child that was started.
type run struct {
	pool       *Pool
	spec       Spec
	start      *start
	keeper     *keeper
	files      *stdio
	exit       Exit
	began      time.Time
	pid        int
	childEnded bool      // the child itself has ended
	signalled  bool      // the child was ended by a signal that mulligan did not send
	lastAsking time.Time // when Spec.Asking last reported true

	stopped bool // the keeper was stopped when it was last looked at

	late <-chan time.Time // fires when the keeper should have answered; nil if nothing was asked of it
}

// wait handles reports, limits and the end of ctx until the child's whole subtree is gone.
func (r *run) wait(ctx context.Context) error {
	var timeout <-chan time.Time // nil, which never fires, if there is no limit
	if r.spec.Timeout > 0 {
		timeout = time.After(r.spec.Timeout)
	}
	idle := r.newIdleTimer()
	defer idle.Stop()
	done := ctx.Done()
	look := time.NewTicker(stoppedLook)
	defer look.Stop()
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
		case <-look.C:
			r.checkStopped()
		case <-r.late:
			r.keeper.cmd.Process.Kill() // which closes its reports
		}
	}
}

// stoppedLook is how often a keeper is looked at: one that was stopped is silent.
const stoppedLook = 500 * time.Millisecond

// checkStopped kills a keeper that is stopped, and was when it was last looked at: it does not end its
// child any more. A batch system that stops all processes for a while lets them go on in any order.
func (r *run) checkStopped() {
	was := r.stopped
	if r.stopped = r.keeper.isStopped(); was && r.stopped {
		r.keeper.cmd.Process.Kill() // which closes its reports
	}
}

// newIdleTimer returns a timer that fires when the child's silence is to be checked. It is stopped if
// the Spec sets no limit.
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

// nextIdleCheck returns when the child's silence is to be checked again; zero or less means that it has
// lasted too long. Asking reports a question only while it is open, so the checks must come often.
func (r *run) nextIdleCheck() time.Duration {
	silence := r.files.silentFor()
	if r.spec.Asking == nil {
		return r.spec.Idle - silence
	}
	if r.spec.Asking() {
		r.lastAsking = time.Now()
	}
	silence = min(silence, time.Since(r.lastAsking))
	return min(r.spec.Idle-silence, max(min(r.spec.Idle/20, time.Second), time.Millisecond))
}

// handleReport updates the run by a report, and reports whether it was the last.
func (r *run) handleReport(rep report) (end bool, err error) {
	switch {
	case rep.Failed != 0:
		if rep.NotConfined {
			return true, &StartError{Argv: r.spec.Argv, Err: fmt.Errorf("%w: %w", ErrNotConfined, rep.Failed)}
		}
		return true, &StartError{Argv: r.spec.Argv, Err: explainStartFailure(string(r.start.Path), rep.Failed)}
	case rep.Started != 0:
		r.pid = rep.Started
	}
	if rep.Ended != nil {
		r.recordEnd(rep.Ended)
	}
	if c := rep.Clean; c != nil {
		r.exit.Left, r.exit.Stuck = c.Left, c.Stuck
		return true, nil
	}
	return false, nil
}

// recordEnd stores how the child ended. Its descendants may still live.
func (r *run) recordEnd(e *ended) {
	if !e.Stopped {
		r.exit = Exit{} // the child had ended by itself when the order to stop arrived
	}
	r.childEnded, r.signalled = true, !e.Stopped && e.wasAskedToEnd()
	r.exit.Code, r.exit.Core = e.Code, e.Core
	if e.Signal != 0 {
		r.exit.Signal = e.Signal.String()
	}
	r.exit.Duration = time.Since(r.began)
	r.late = time.After(leftGrace + answerWait)
}

// stop orders the keeper to end the child, once, and calls why to store the reason. It does nothing if
// the child has ended by itself, even if descendants are left.
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

// cancel stops the child because ctx has ended, at once if the cause is ErrNow.
func (r *run) cancel(ctx context.Context) {
	r.stop(func() { r.exit.Cancelled = true })
	if errors.Is(context.Cause(ctx), ErrNow) {
		r.keeper.sendOrder(order{Kill: true})
	}
}

// ownStopWait is how long awaitOwnStop waits for a signal to us.
const ownStopWait = 500 * time.Millisecond

// awaitOwnStop waits a moment for ctx to end after a signal has ended the child. A service manager, or a
// shell that ends a job, signals all processes at once: if ours gets the signal a moment later, the child
// was cancelled and has not failed.
func (r *run) awaitOwnStop(ctx context.Context) {
	select {
	case <-ctx.Done():
		r.exit.Cancelled = true
	case <-time.After(ownStopWait):
	}
}

// handleLostKeeper kills the descendants that can be found of a child whose keeper is gone. The system
// has killed the child itself.
func (r *run) handleLostKeeper() error {
	err := r.keeper.confirmLoss()
	if r.pid != 0 {
		killSession(r.pid)
	}
	killEscaped(r.start.Env) // also if the keeper had no time to report the child's id
	var found int
	found, r.exit.Stuck = endOrphans(r.pool)
	if lost := r.pool.opt.Lost; lost != nil {
		lost(r.spec.Role, found, r.exit.Stuck, err)
	}
	if !r.childEnded {
		r.exit.Duration = time.Since(r.began)
	}
	return err
}
