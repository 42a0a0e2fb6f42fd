package loop

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"mulligan"
	"mulligan/state"
)

// A requestQueue takes what other goroutines want of a session. The state belongs to one goroutine,
// the one that runs the session: it serves the queue whenever it waits for something.
type requestQueue struct {
	requests chan request
	hooks    chan mulligan.HookEnded // on_task_complete hooks that have ended
	over     chan struct{}
	hookRuns bool               // an on_task_complete hook is under way
	waiting  map[int][]*asker   // askers that wait for the answer to a question
	holds    holds              // callers that the agent waits for
	halt     *mulligan.Outcome  // the session is to stop where it stands
	stop     context.CancelFunc // ends what the session waits for, where it waits
}

// A request wants something of the state.
type request struct {
	do    func(*state.State) ([]mulligan.Body, error)
	reply chan error
}

// openRequests makes the queue. Run serves what was requested before it.
func (s *Session) openRequests() *requestQueue {
	if s.requests == nil {
		s.requests = &requestQueue{
			requests: make(chan request), hooks: make(chan mulligan.HookEnded, 1), over: make(chan struct{}),
			waiting: map[int][]*asker{},
		}
	}
	return s.requests
}

func (q *requestQueue) close() { close(q.over) }

// Do calls f with the state, between two things that the session does, and stores the events that f
// returns before it returns itself. Where f returns an error, Do returns it, and stores nothing. f
// keeps nothing of the state. Do is safe for concurrent use, from Start or Resume on.
func (s *Session) Do(ctx context.Context, f func(*state.State) ([]mulligan.Body, error)) error {
	r := request{do: f, reply: make(chan error, 1)}
	select {
	case s.requests.requests <- r:
	case <-s.requests.over:
		return mulligan.ErrOver
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-r.reply
}

// serveRequest does what a request wants. The error that it returns is the session's own; a panic of
// the request's function is returned to the caller of Do, and noted: the session continues.
func (s *Session) serveRequest(ctx context.Context, r request) error {
	bodies, err := r.call(&s.state)
	if fault := (*PanicError)(nil); errors.As(err, &fault) {
		r.reply <- err
		return s.recordNow(ctx, mulligan.Noted{Text: fault.Error() + "\n" + fault.Stack})
	}
	if err != nil || len(bodies) == 0 {
		r.reply <- err
		return nil
	}
	s.markHeard(bodies)
	err = s.recordNow(ctx, bodies...)
	r.reply <- err
	if err == nil {
		s.notifyAskers(bodies)
	}
	return err
}

// call calls the request's function. A panic in it is a *PanicError.
func (r request) call(st *state.State) (bodies []mulligan.Body, err error) {
	defer func() {
		if fault := newPanicError(recover()); fault != nil {
			bodies, err = nil, fault
		}
	}()
	return r.do(st)
}

// recordNow records events and stores them. A panic on the way is an error, since a caller waits.
func (s *Session) recordNow(ctx context.Context, bodies ...mulligan.Body) (err error) {
	defer func() {
		if fault := newPanicError(recover()); fault != nil {
			err = fault
		}
	}()
	if err := s.record(bodies...); err != nil {
		return err
	}
	return s.flush(ctx)
}

// serveDuring calls f in a goroutine of its own, and meanwhile serves requests. f's context ends with
// ctx, and when the session is to stop. A panic of f is a *PanicError.
func (s *Session) serveDuring(ctx context.Context, f func(ctx context.Context)) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	s.requests.stop = cancel
	done := make(chan error, 1)
	go func() {
		defer func() { done <- newPanicError(recover()) }()
		f(within)
	}()
	var broken error
	for {
		if broken == nil {
			broken = s.startTaskHook(ctx)
		}
		if broken != nil {
			cancel()
		}
		select {
		case err := <-done:
			return errors.Join(broken, err)
		case r := <-s.requests.requests:
			broken = errors.Join(broken, s.serveRequest(ctx, r))
		case h := <-s.requests.hooks:
			broken = errors.Join(broken, s.endTaskHook(ctx, h))
		}
	}
}

// A PanicError is a fault of mulligan's own.
type PanicError struct {
	Value any
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("mulligan panicked: %v", e.Value) }

// newPanicError returns an error for the value of recover, or nil if that is nil.
func newPanicError(value any) error {
	if value == nil {
		return nil
	}
	return &PanicError{Value: value, Stack: string(debug.Stack())}
}

// advanceGuarded advances the session. A panic in an iteration fails the iteration; anywhere else it
// is an error, and the journal has all that was before.
func (s *Session) advanceGuarded(ctx context.Context) (err error) {
	st := &s.state
	defer func() {
		if fault := newPanicError(recover()); fault != nil {
			err = fault
		}
		var fault *PanicError
		if !errors.As(err, &fault) || st.Final != nil {
			return
		}
		switch st.Phase {
		case mulligan.Opening, mulligan.Working, mulligan.Stopping, mulligan.Examining, mulligan.Closing:
			err = s.record(mulligan.Noted{Text: fault.Error() + "\n" + fault.Stack}, mulligan.Panicked{Text: fault.Error()})
		default: // there is no iteration that could have failed
		}
	}()
	return s.advance(ctx)
}

// sleep waits for d, or until ctx ends, and serves requests meanwhile.
func (s *Session) sleep(ctx context.Context, d time.Duration) error {
	return s.serveDuring(ctx, func(ctx context.Context) { s.Clock.Sleep(ctx, d) })
}
