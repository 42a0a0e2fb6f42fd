package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
)

// A follower reads a session that another process runs. It never holds the journal for
// long: where nobody hosts it, it reads, lets go and looks again.
type follower struct {
	app  *App
	id   string
	live chan []byte // what children print; nil where nobody wants it
}

// errGone is a session whose process ended without closing it.
var errGone = errors.New("the session's process is gone")

// events gives the session's events from `from` on, until it ends or its process is gone.
func (f *follower) events(ctx context.Context, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		alone := 0
		for ctx.Err() == nil {
			hosting, more, err := f.round(ctx, &from, yield)
			if !more {
				return
			}
			if err != nil {
				yield(mulligan.Event{}, err)
				return
			}
			if !hosting {
				alone = 0
				continue
			}
			// Nobody hosts, so nobody writes: a session that runs would have taken over.
			if alone++; alone > 3 {
				yield(mulligan.Event{}, fmt.Errorf("session %s: %w", f.id, errGone))
				return
			}
			sleep(ctx, 300*time.Millisecond)
		}
	}
}

// round follows the session over one connection. more is false when there is nothing left
// to wait for.
func (f *follower) round(ctx context.Context, from *int64, yield func(mulligan.Event, error) bool) (hosting, more bool, err error) {
	store, err := f.app.open(ctx, jetstream.Viewer)
	if err != nil {
		return false, true, err
	}
	defer store.Close()
	read := store.Follow
	if store.Hosting() {
		read = store.Read
	} else if f.live != nil {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go f.pump(ctx, store)
	}
	for e, err := range read(ctx, f.id, *from) {
		switch {
		case errors.Is(err, jetstream.ErrHostGone):
			return false, true, nil
		case errors.Is(err, mulligan.ErrNoSession) && *from > 1, ctx.Err() != nil:
			return store.Hosting(), ctx.Err() == nil, nil
		case err != nil:
			return false, true, err
		}
		*from = e.Number + 1
		if !yield(e, nil) {
			return false, false, nil
		}
		if f.over(ctx, store, e) {
			return false, false, nil
		}
	}
	return store.Hosting(), true, nil
}

// over says whether e is the last event: an end that no later event takes back.
func (f *follower) over(ctx context.Context, store *jetstream.Store, e mulligan.Event) bool {
	if _, ended := e.Body.(mulligan.SessionEnded); !ended {
		return false
	}
	sum, err := summary(ctx, store, f.id)
	return err != nil || sum.Events == e.Number
}

// lag is how long live output is held back. It travels faster than the events do, and a
// screen that shows what a turn printed before it shows the turn confuses people.
const lag = 50 * time.Millisecond

func (f *follower) pump(ctx context.Context, store *jetstream.Store) {
	type stamped struct {
		data []byte
		at   time.Time
	}
	held := make(chan stamped, 256)
	go func() {
		defer close(held)
		for chunk := range store.Watch(ctx, f.id) {
			select {
			case held <- stamped{chunk.Data, time.Now()}:
			default: // a screen that cannot keep up misses output; the log has it
			}
		}
	}()
	for chunk := range held {
		sleep(ctx, time.Until(chunk.at.Add(lag)))
		select {
		case f.live <- chunk.data:
		case <-ctx.Done():
		}
	}
}

func sleep(ctx context.Context, d time.Duration) { clock{}.Sleep(ctx, d) }
