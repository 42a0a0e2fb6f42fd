package mulligan

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// ErrOver is what is brought to a session that has ended.
var ErrOver = errors.New("the session is over")

// A desk is where others bring what they want of a session. The state belongs to one
// goroutine, the one that runs the session: it looks at its desk whenever it waits for
// something.
type desk struct {
	calls   chan call
	hooks   chan HookEnded // on_task_complete hooks that have ended
	over    chan struct{}
	running bool                    // an on_task_complete hook is under way
	waiting map[int][]chan Question // who waits for the answer to a question
	asking  atomic.Int32            // how many questions wait
	halt    *Outcome                // the session is to stop where it stands
	stop    context.CancelFunc      // ends what the session waits for, where it waits
}

// A call wants something of the state.
type call struct {
	do    func(*State) ([]Body, error)
	reply chan error
}

// open makes the desk. What is brought before Run is picked up by it.
func (s *Session) open() *desk {
	if s.desk == nil {
		s.desk = &desk{
			calls: make(chan call), hooks: make(chan HookEnded, 1), over: make(chan struct{}),
			waiting: map[int][]chan Question{},
		}
	}
	return s.desk
}

func (d *desk) close() { close(d.over) }

// Do has f look at the state, between two things that the session does, and stores what f
// says before it returns. An error of f is returned, and then nothing is said. f keeps
// nothing of the state. Do is safe for use by several goroutines, from Start or Resume on.
func (s *Session) Do(ctx context.Context, f func(*State) ([]Body, error)) error {
	c := call{do: f, reply: make(chan error, 1)}
	select {
	case s.desk.calls <- c:
	case <-s.desk.over:
		return ErrOver
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-c.reply
}

// answer does what a call wants. An error of its own is the session's; a panic of the one who
// called is told to that one, and noted: the session goes on.
func (s *Session) answer(ctx context.Context, c call) error {
	bodies, err := c.wants(&s.state)
	if fault := (*PanicError)(nil); errors.As(err, &fault) {
		c.reply <- err
		return s.store(ctx, Noted{Text: fault.Error() + "\n" + fault.Stack})
	}
	if err != nil || len(bodies) == 0 {
		c.reply <- err
		return nil
	}
	err = s.store(ctx, bodies...)
	c.reply <- err
	if err == nil {
		s.tellAskers(bodies)
	}
	return err
}

// wants asks the one who called.
func (c call) wants(st *State) (bodies []Body, err error) {
	defer func() {
		if fault := panicked(recover()); fault != nil {
			bodies, err = nil, fault
		}
	}()
	return c.do(st)
}

// store says something and stores it. A panic on the way is an error: somebody waits for an answer.
func (s *Session) store(ctx context.Context, bodies ...Body) (err error) {
	defer func() {
		if fault := panicked(recover()); fault != nil {
			err = fault
		}
	}()
	if err := s.say(bodies...); err != nil {
		return err
	}
	return s.flush(ctx)
}

// during does f apart, and meanwhile looks after the desk. f's context ends with ctx, and when
// the session is to stop. A panic of f is a *PanicError.
func (s *Session) during(ctx context.Context, f func(ctx context.Context)) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	s.desk.stop = cancel
	done := make(chan error, 1)
	go func() {
		defer func() { done <- panicked(recover()) }()
		f(within)
	}()
	var broken error
	for {
		if broken == nil {
			broken = s.startDue(ctx)
		}
		if broken != nil {
			cancel()
		}
		select {
		case err := <-done:
			return errors.Join(broken, err)
		case c := <-s.desk.calls:
			broken = errors.Join(broken, s.answer(ctx, c))
		case h := <-s.desk.hooks:
			broken = errors.Join(broken, s.hookDone(ctx, h))
		}
	}
}

// A PanicError is a fault of mulligan's own.
type PanicError struct {
	Value any
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("mulligan panicked: %v", e.Value) }

func panicked(value any) error {
	if value == nil {
		return nil
	}
	return &PanicError{Value: value, Stack: string(debug.Stack())}
}

// guarded advances the session. A panic in an iteration is an iteration that failed; anywhere
// else it is an error, and the journal has all that was before.
func (s *Session) guarded(ctx context.Context) (err error) {
	st := &s.state
	defer func() {
		if fault := panicked(recover()); fault != nil {
			err = fault
		}
		var fault *PanicError
		if !errors.As(err, &fault) || st.Ending != nil {
			return
		}
		if st.Phase == Working || st.Phase == Stopping || st.Phase == Examining || st.Phase == Opening || st.Phase == Closing {
			err = s.say(Noted{Text: fault.Error() + "\n" + fault.Stack}, Panicked{Text: fault.Error()})
		}
	}()
	return s.advance(ctx)
}

// sleep waits for d, or until ctx ends.
func (s *Session) sleep(ctx context.Context, d time.Duration) error {
	return s.during(ctx, func(ctx context.Context) { s.Clock.Sleep(ctx, d) })
}
