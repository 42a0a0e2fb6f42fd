package page

import (
	"context"
	"errors"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/state"
	"mulligan/view"
	"mulligan/view/timeline"
)

// maxHeld is how many events of a session are held: of a longer one the beginning is read again when it is
// asked for.
const maxHeld = 20_000

// A watch holds one session as its journal tells it, and follows it while a page is open. It is safe for
// concurrent use.
type watch struct {
	id     string
	client client.Client

	mu      sync.Mutex
	model   *view.Model
	line    timeline.Timeline
	events  []mulligan.Event // the last ones, at most maxHeld
	news    *signal          // of changes
	list    *signal          // of changes of any session
	caught  chan struct{}    // closed once all that the journal had at first was read
	gone    bool             // the process that ran it is no more
	running bool             // the list had it as running when it was read last
	err     error            // the journal of it is damaged
	present int              // pages that are open on it, where a person can answer
	restart context.CancelFunc
	wake    chan struct{} // there may be more to read
}

func newWatch(c client.Client, id string, list *signal) *watch {
	return &watch{
		id: id, client: c, model: view.NewModel(), news: newSignal(), list: list, caught: make(chan struct{}), wake: make(chan struct{}, 1),
	}
}

// run follows the session until ctx ends. After an ending, or when its process is gone, it waits until it is
// told that there is more.
func (w *watch) run(ctx context.Context, want int64) {
	for ctx.Err() == nil {
		err := w.follow(ctx, want)
		w.mu.Lock()
		restarted := errors.Is(err, context.Canceled)
		w.gone = errors.Is(err, client.ErrGone)
		if w.err = nil; err != nil && !w.gone && !restarted {
			w.err = err
		}
		w.notify()
		if restarted {
			w.mu.Unlock()
			continue
		}
		w.catchUp()
		w.mu.Unlock()
		select {
		case <-w.wake:
		case <-ctx.Done():
		}
	}
}

// follow takes the session's events, from the first that the watch has not had, until the session is over or
// the follower is to begin again. want is how many there are at least.
func (w *watch) follow(ctx context.Context, want int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.restart = cancel
	f := w.client.Follow(w.id)
	f.Present = w.present > 0
	from := w.model.State().Last + 1
	w.mu.Unlock()
	for e, err := range f.Events(ctx, from) {
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.take(e)
		if e.Number >= want {
			w.catchUp()
			w.notify()
		}
		w.mu.Unlock()
	}
	return ctx.Err()
}

// take takes the next event. It must be called with mu held.
func (w *watch) take(e mulligan.Event) {
	w.model.Apply(e)
	w.line.Apply(e)
	w.gone = false
	if w.events = append(w.events, e); len(w.events) > maxHeld+maxHeld/10 {
		w.events = append([]mulligan.Event(nil), w.events[len(w.events)-maxHeld:]...)
	}
}

// catchUp notes that what the journal had was read. It must be called with mu held.
func (w *watch) catchUp() {
	select {
	case <-w.caught:
	default:
		close(w.caught)
	}
}

// notify tells those who wait that something has changed.
func (w *watch) notify() {
	w.news.notify()
	w.list.notify()
}

// ready waits until the watch has had what the journal had when it began, but not for long.
func (w *watch) ready(ctx context.Context) {
	select {
	case <-w.caught:
	case <-ctx.Done():
	case <-time.After(readPatience):
	}
}

const readPatience = 10 * time.Second

// attend counts a person who looks and can answer: while there is one the session has a person to ask. The
// caller calls leave once.
func (w *watch) attend() (leave func()) {
	w.count(1)
	return sync.OnceFunc(func() { w.count(-1) })
}

// count changes how many look. The follower tells the session by beginning again.
func (w *watch) count(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.present > 0
	w.present += by
	if now := w.present > 0; now != before && w.restart != nil {
		w.restart()
	}
}

// lookAgain has a watch that waits read on, if the journal has more than it has had, or a process runs the
// session again. Pages show whether one does, so they hear when that changes.
func (w *watch) lookAgain(s mulligan.Summary, running bool) {
	w.mu.Lock()
	more := s.Events > w.model.State().Last || running && w.gone
	if running != w.running {
		w.running, w.gone = running, w.gone && !running
		w.news.notify()
	}
	w.mu.Unlock()
	if !more {
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// A look is a session at one moment, for as long as the function runs that gets it.
type look struct {
	snap   view.Snapshot
	state  *state.State
	line   *timeline.Timeline
	events []mulligan.Event
	err    error
}

// event returns the body of an event that is held, or nil.
func (l look) event(number int64) mulligan.Body {
	if len(l.events) == 0 {
		return nil
	}
	at := number - l.events[0].Number
	if at < 0 || at >= int64(len(l.events)) || l.events[at].Number != number {
		return nil
	}
	return l.events[at].Body
}

// inspect calls a function with the session as it is. The function keeps nothing of it but events and the
// snapshot.
func (w *watch) inspect(now time.Time, f func(look)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	state := w.model.State()
	if w.gone {
		now = state.Updated // no work was done after the last event
	}
	snap := w.model.Snapshot(now)
	snap.Gone = w.gone && !snap.Over()
	f(look{snap: snap, state: state, line: &w.line, events: w.events, err: w.err})
}
