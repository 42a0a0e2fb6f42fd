package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// A follower reads a session that another process runs. It never holds the journal for
// long: where nobody hosts it, it reads, lets go and looks again.
type follower struct {
	app  *App
	id   string
	live chan []byte // what children print; nil where nobody wants it
	// present says that a person looks on: the session then has somebody to ask.
	present bool
	past    int64 // an ending up to this event is history: the session has been resumed since, or is being
	ended   bool  // the last event that was given is of a session that is over
	doubts  int   // how often in a row the journal could not tell whether more is there
	held    bool  // nobody hosts the journal, and yet a living process holds the session's workspace
}

// errGone is a session whose process ended without closing it.
var errGone = errors.New("the session's process is gone")

// gone says it with what to do.
func (f *follower) gone() error {
	return &usererror.Error{
		Code: mulligan.ExitInternal, Words: fmt.Sprintf("session %s: its process is gone", f.id), Hint: "`mulligan resume` goes on with it",
		Cause: errGone,
	}
}

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
			switch {
			case !hosting:
				alone = 0
				continue
			case f.held:
				alone = 0 // it is about to take over
			case alone == 3:
				// Nobody hosts, so nobody writes: a session that runs would have taken over.
				yield(mulligan.Event{}, fmt.Errorf("session %s: %w", f.id, errGone))
				return
			default:
				alone++
			}
			clock.Sleep(ctx, 300*time.Millisecond)
		}
	}
}

// round follows the session over one connection. more is false when there is nothing left
// to wait for.
func (f *follower) round(ctx context.Context, from *int64, yield func(mulligan.Event, error) bool) (hosting, more bool, err error) {
	store, err := f.app.OpenJournal(ctx, jetstream.Viewer)
	if err != nil {
		return false, true, err
	}
	defer store.Close()
	switch over, sure := f.over(ctx, store, *from); {
	case over:
		return false, false, nil
	case !sure:
		clock.Sleep(ctx, 100*time.Millisecond)
		return false, true, nil
	case store.Hosting():
		more, err = f.give(ctx, store, store.Read(ctx, f.id, *from), from, yield)
		f.held = more && err == nil && f.app.heldID(ctx, store, f.id)
		return true, more, err
	}
	following, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	go f.heed(following, store, leave)
	if f.live != nil {
		go f.pump(following, store)
	}
	if f.present {
		go attend(following, store, f.id)
	}
	more, err = f.give(ctx, store, store.Follow(following, f.id, *from), from, yield)
	if !more || err != nil || !errors.Is(context.Cause(following), errGone) {
		return false, more, err
	}
	// The last that it wrote may have come with the news that it is gone.
	more, err = f.give(ctx, store, store.Read(ctx, f.id, *from), from, yield)
	if more && err == nil {
		err = fmt.Errorf("session %s: %w", f.id, errGone)
	}
	return false, more, err
}

// give yields events until there are no more, or nothing is left to wait for.
func (f *follower) give(ctx context.Context, store *jetstream.Store, events iter.Seq2[mulligan.Event, error], from *int64, yield func(mulligan.Event, error) bool) (more bool, err error) {
	for e, err := range events {
		switch {
		case errors.Is(err, jetstream.ErrHostGone), errors.Is(err, context.Canceled), errors.Is(err, mulligan.ErrNoSession) && *from > 1:
			return true, nil
		case err != nil:
			return true, err
		}
		if f.live != nil {
			clock.Sleep(ctx, min(lag, time.Until(e.Time.Add(lag))))
		}
		*from = e.Number + 1
		if !yield(e, nil) {
			return false, nil
		}
		f.note(e)
		if over, sure := f.over(ctx, store, *from); over || !sure {
			return !over, nil
		}
	}
	return true, nil
}

// heed asks the session's process from time to time whether it is still there, and leaves
// it when it is not: the journal's host may be another session's process, which stays.
func (f *follower) heed(ctx context.Context, store *jetstream.Store, leave context.CancelCauseFunc) {
	for silent := 0; ctx.Err() == nil; clock.Sleep(ctx, 500*time.Millisecond) {
		_, err := store.Send(ctx, f.id, "ping")
		if !errors.Is(err, jetstream.ErrNotRunning) {
			silent = 0
		} else if silent++; silent > 2 && !f.app.heldID(ctx, store, f.id) { // it may be starting, or looking for a new host
			leave(errGone)
			return
		}
	}
}

// attend tells a session that a person watches it, until ctx ends. One that does not hear it,
// because it has ended or is about to begin, misses nothing.
func attend(ctx context.Context, store *jetstream.Store, id string) {
	for ; ctx.Err() == nil; clock.Sleep(ctx, 2*time.Second) {
		_, _ = store.Send(ctx, id, "watching")
	}
}

// note remembers whether the session is over, as far as it was given.
func (f *follower) note(e mulligan.Event) {
	switch e.Body.(type) {
	case mulligan.SessionEnded:
		f.ended = e.Number > f.past
	case mulligan.SessionResumed:
		f.ended = false
	}
}

// over says whether the session has ended and the journal has nothing more of it: its end was the last
// event, or what a person has said since. next is the number of the event to come. It is not sure where
// the journal cannot be asked, as between two hosts; after some tries the end that was given stands.
func (f *follower) over(ctx context.Context, store *jetstream.Store, next int64) (over, sure bool) {
	if !f.ended {
		return false, true
	}
	sum, err := summary(ctx, store, f.id)
	if err != nil {
		f.doubts++
		return f.doubts > 5, false
	}
	f.doubts = 0
	return sum.Events < next, true
}

// lag is how long a screen is held back. Live output and events travel on their own, and one
// that shows what a turn printed before the turn, or after its end, confuses people.
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
		clock.Sleep(ctx, time.Until(chunk.at.Add(lag)))
		select {
		case f.live <- chunk.data:
		case <-ctx.Done():
		}
	}
}
