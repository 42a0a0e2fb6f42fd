package client

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/journal/jetstream"
)

// outputWatcher yields what the children of a session print, until ctx ends.
type outputWatcher interface {
	Watch(ctx context.Context, session string, hearing func(), settle <-chan func()) iter.Seq[jetstream.Output]
}

// A heardOutput is a piece of what children print, or the mark that all that came before a hold is through.
type heardOutput struct {
	data    []byte
	at      time.Time // when it was heard
	written time.Time // by the session's clock
	mark    *outputHold
}

// pumpOutput passes what children print to f.Live, after screenLag.
func (f *Follower) pumpOutput(ctx context.Context, store outputWatcher, near *earshot, gate *outputGate) {
	defer close(gate.over)
	go func() {
		defer close(gate.queue)
		defer near.giveUp()
		for chunk := range store.Watch(ctx, f.ID, near.reach, gate.settle) { // reach comes first
			select {
			case gate.queue <- heardOutput{data: chunk.Data, at: time.Now(), written: chunk.Written}:
			default: // a screen that cannot keep up misses output; the log has it
			}
		}
	}()
	for chunk := range gate.queue {
		if chunk.mark != nil {
			f.reachHold(ctx, chunk.mark)
			continue
		}
		due := chunk.at.Add(screenLag)
		if calm := near.from.Add(4 * screenLag); due.Before(calm) {
			due = calm // the events of the time before come first
		}
		clock.Sleep(ctx, time.Until(due))
		if until := f.shown.Load(); chunk.at.Before(near.from) || until != nil && chunk.at.Before(*until) {
			continue // showPrinted has read it
		}
		if h := gate.held.Load(); h != nil && chunk.written.After(h.until) {
			f.reachHold(ctx, h)
			h.wait(ctx)
		}
		select {
		case f.Live <- chunk.data:
		case <-ctx.Done():
		}
	}
}

// reachHold lets the event follow that a hold is for. The reader of f.Live takes the piece, which is empty, when it is
// done with those before.
func (f *Follower) reachHold(ctx context.Context, h *outputHold) {
	select {
	case f.Live <- nil:
	case <-h.reached:
	case <-ctx.Done():
	}
	h.once.Do(func() { close(h.reached) })
}

// waitForOutput waits, before a turn's end, until f.Live has had all that was printed before it, and holds back what is
// printed later until release is called. Live output and events travel on their own, so that the lag of a screen alone
// does not keep their order where the processors are busy.
func (f *Follower) waitForOutput(ctx context.Context, e mulligan.Event) (release func()) {
	if _, ends := e.Body.(mulligan.TurnEnded); !ends || f.gate == nil || !f.near.hears(e.Time) {
		return func() {}
	}
	return f.gate.hold(ctx, e.Time)
}

// hears reports whether the viewer heard all that was printed right before a moment.
func (n *earshot) hears(at time.Time) bool {
	select {
	case <-n.known:
		return !n.from.IsZero() && n.from.Before(at)
	default:
		return false
	}
}

// An outputGate keeps the order of live output and the ends of turns.
type outputGate struct {
	queue  chan heardOutput
	settle chan func()   // what the watcher calls when it has passed on all that has arrived
	over   chan struct{} // closed when nothing more is passed on
	held   atomic.Pointer[outputHold]
}

func newOutputGate() *outputGate {
	return &outputGate{queue: make(chan heardOutput, 256), settle: make(chan func()), over: make(chan struct{})}
}

// An outputHold holds back what is printed after a moment.
type outputHold struct {
	until   time.Time
	once    sync.Once
	reached chan struct{} // closed when all that was printed until then is through
	free    chan struct{} // closed when the rest may follow
}

// wait waits until what is held back may follow.
func (h *outputHold) wait(ctx context.Context) {
	select {
	case <-h.free:
	case <-ctx.Done():
	}
}

// hold waits until all is through that has arrived and was printed until a moment. It holds back the rest until release
// is called.
func (g *outputGate) hold(ctx context.Context, until time.Time) (release func()) {
	h := &outputHold{until: until, reached: make(chan struct{}), free: make(chan struct{})}
	g.held.Store(h)
	release = func() {
		g.held.Store(nil)
		close(h.free)
	}
	mark := func() {
		select {
		case g.queue <- heardOutput{mark: h}:
		case <-h.free:
		case <-ctx.Done():
		}
	}
	select {
	case g.settle <- mark:
	case <-h.reached:
	case <-g.over:
	case <-ctx.Done():
	}
	select {
	case <-h.reached:
	case <-g.over:
	case <-ctx.Done():
	}
	return release
}
