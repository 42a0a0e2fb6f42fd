package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/protocol"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// A Follower reads a session that another process runs. It never holds the journal for long: if no
// process hosts it, the follower reads, lets go and looks again.
type Follower struct {
	ID      string
	Live    chan []byte           // receives what children print; unbuffered; nil if it is not wanted
	Present bool                  // a person watches: the session then has a person to ask
	Begun   *mulligan.TurnStarted // the turn under way: Live gets what it has printed so far; nil if there is none
	Seen    int64                 // Live gets all that turns print that begin after this event
	Past    int64                 // an ending up to this event is history: the session has been resumed since, or is being

	client Client
	ended  bool                      // the last event that was yielded is of a session that is over
	doubts int                       // how often in a row the journal could not tell whether more is there
	shown  atomic.Pointer[time.Time] // until when Live has had what turns printed, from their logs
	near   *earshot                  // of the connection over which it follows; nil if there is none
	gate   *outputGate               // of the same connection
	held   bool                      // no process hosts the journal, and yet a living process holds the session's workspace
}

// Follow returns a follower of one session.
func (c Client) Follow(id string) *Follower { return &Follower{ID: id, client: c} }

// ErrGone means that a session's process ended without closing it.
var ErrGone = errors.New("the session's process is gone")

// GoneError returns ErrGone in words for the person, with what to do.
func (f *Follower) GoneError() error {
	return &usererror.Error{
		Code: mulligan.ExitInternal, Words: fmt.Sprintf("session %s: its process is gone", f.ID), Hint: "`mulligan resume` goes on with it",
		Cause: ErrGone,
	}
}

// Events yields the session's events from `from` on, until it ends or its process is gone: ErrGone.
func (f *Follower) Events(ctx context.Context, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		alone := 0
		for ctx.Err() == nil {
			hosting, more, err := f.followOnce(ctx, &from, yield)
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
				// No process hosts the journal, so none writes it: one that ran the session would
				// have taken over.
				yield(mulligan.Event{}, fmt.Errorf("session %s: %w", f.ID, ErrGone))
				return
			default:
				alone++
			}
			clock.Sleep(ctx, 300*time.Millisecond)
		}
	}
}

// followOnce follows the session over one connection. more is false if there is nothing left to wait
// for. hosting reports whether this process had to host the journal to read it.
func (f *Follower) followOnce(ctx context.Context, from *int64, yield func(mulligan.Event, error) bool) (hosting, more bool, err error) {
	store, err := f.client.env.OpenJournal(ctx, jetstream.Viewer)
	if err != nil {
		return false, true, err
	}
	defer store.Close()
	live := NewLiveness(f.client.env, store)
	switch over, sure := f.isOver(ctx, store, *from); {
	case over:
		return false, false, nil
	case !sure:
		clock.Sleep(ctx, 100*time.Millisecond)
		return false, true, nil
	case store.Hosting():
		more, err = f.yieldEvents(ctx, store, store.Read(ctx, f.ID, *from), from, yield)
		f.held = more && err == nil && live.MayBeHeld(ctx, f.ID)
		return true, more, err
	}
	following, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	go f.leaveWhenGone(following, live, leave)
	if f.Live != nil {
		f.near = newEarshot()
		f.gate = newOutputGate()
		defer func() { f.near, f.gate = nil, nil }()
		go f.pumpOutput(following, store, f.near, f.gate)
	}
	if f.Present {
		go protocol.Attend(following, store, f.ID)
	}
	more, err = f.yieldEvents(ctx, store, store.Follow(following, f.ID, *from), from, yield)
	if !more || err != nil || !errors.Is(context.Cause(following), ErrGone) {
		return false, more, err
	}
	// The last that it wrote may have come with the news that it is gone.
	more, err = f.yieldEvents(ctx, store, store.Read(ctx, f.ID, *from), from, yield)
	if more && err == nil {
		err = fmt.Errorf("session %s: %w", f.ID, ErrGone)
	}
	return false, more, err
}

// yieldEvents yields events until there are no more, or nothing is left to wait for.
func (f *Follower) yieldEvents(ctx context.Context, journal sessions.Lister, events iter.Seq2[mulligan.Event, error], from *int64, yield func(mulligan.Event, error) bool) (more bool, err error) {
	for e, err := range events {
		switch {
		case errors.Is(err, jetstream.ErrHostGone), errors.Is(err, context.Canceled), errors.Is(err, mulligan.ErrNoSession) && *from > 1:
			return true, nil
		case err != nil:
			return true, err
		}
		if f.Live != nil {
			clock.Sleep(ctx, min(screenLag, time.Until(e.Time.Add(screenLag))))
		}
		*from = e.Number + 1
		release := f.waitForOutput(ctx, e)
		goOn := yield(e, nil)
		release()
		if !goOn {
			return false, nil
		}
		f.showPrinted(ctx, e)
		f.noteEnding(e)
		if over, sure := f.isOver(ctx, journal, *from); over || !sure {
			return !over, nil
		}
	}
	return true, nil
}

// leaveWhenGone asks the session's process from time to time whether it is still there, and calls
// leave when it is not: the journal's host may be another session's process, which stays.
func (f *Follower) leaveWhenGone(ctx context.Context, live Liveness, leave context.CancelCauseFunc) {
	for silent := 0; ctx.Err() == nil; clock.Sleep(ctx, 500*time.Millisecond) {
		if !errors.Is(live.Ping(ctx, f.ID), jetstream.ErrNotRunning) {
			silent = 0
		} else if silent++; silent > 2 && !live.MayBeHeld(ctx, f.ID) { // it may be starting, or looking for a new host
			leave(ErrGone)
			return
		}
	}
}

// noteEnding remembers whether the session is over, as far as it was yielded.
func (f *Follower) noteEnding(e mulligan.Event) {
	switch e.Body.(type) {
	case mulligan.SessionEnded:
		f.ended = e.Number > f.Past
	case mulligan.SessionResumed:
		f.ended = false
	}
}

// isOver reports whether the session has ended and the journal has nothing more of it: its end was
// the last event, or what a person has said since. next is the number of the event to come. It is not
// sure if the journal cannot be asked, as between two hosts; after some tries the end that was yielded
// counts.
func (f *Follower) isOver(ctx context.Context, journal sessions.Lister, next int64) (over, sure bool) {
	if !f.ended {
		return false, true
	}
	sum, err := sessions.ReadSummary(ctx, journal, f.ID)
	if err != nil {
		f.doubts++
		return f.doubts > 5, false
	}
	f.doubts = 0
	return sum.Events < next, true
}

// screenLag is how long a screen is held back. Live output and events travel on their own, and a
// screen that shows what a turn printed before the turn, or after its end, confuses people.
const screenLag = 50 * time.Millisecond
