package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mulligan"
	"mulligan/guard"
	"mulligan/internal/clock"
	"mulligan/internal/lockfile"
	"mulligan/internal/protocol"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/journal"
	"mulligan/journal/jetstream"
	"mulligan/task"
)

const (
	// hearingTime is how long a session may take to hear a request: it may be starting, or looking
	// for a new host of the journal.
	hearingTime = 10 * time.Second
	// retryPause is the wait before a request is sent again.
	retryPause = 50 * time.Millisecond
)

// A controlJournal is a journal through which the process of a session can be reached.
type controlJournal interface {
	mulligan.Journal
	protocol.Sender
}

// Tell gives the agent of a session a message. Its id makes it one message, whichever process stores it: the session's
// may be killed after it has, and then this one would store it too.
func (c Client) Tell(ctx context.Context, session, text string) error {
	_, err := c.Request(ctx, session, protocol.NewRequest(protocol.ToolTell, protocol.TellArgs{ID: rand.Text(), Text: text}))
	return err
}

// Answer answers a question of a session; question 0 is the oldest that is open.
func (c Client) Answer(ctx context.Context, session string, question int, text string) error {
	_, err := c.Request(ctx, session, protocol.NewRequest(protocol.ToolAnswer, protocol.AnswerArgs{ID: question, Text: text}))
	return err
}

// Pause has a session pause when the running turn and its checks are through.
func (c Client) Pause(ctx context.Context, session string) error {
	_, err := c.Request(ctx, session, protocol.NewRequest(protocol.ToolPause, struct{}{}))
	return err
}

// Decide says a person's word about an item of the guard, which is named as for commands: its next claim passes, or
// its claims begin anew.
func (c Client) Decide(ctx context.Context, session, item string, approve bool) error {
	store, s, err := c.Open(ctx, session, nil)
	if err != nil {
		return err
	}
	st, err := journal.Fold(store.Read(ctx, s.ID, 1))
	store.Close()
	if err != nil {
		return err
	}
	found, err := guard.Find(&st.Guard, item)
	if err != nil {
		return usererror.Usage(err.Error(), "`mulligan guard status` lists the tasks")
	}
	tool := protocol.ToolRelease
	if approve {
		tool = protocol.ToolApprove
	}
	_, err = c.Request(ctx, s.ID, protocol.NewRequest(tool, protocol.GuardArgs{Item: found.Key}))
	return err
}

// Request does what a person wants of a session, and returns the reply: by the process that runs the
// session, or, if none does, in the journal itself. session "" is this repository's newest that is
// not over.
func (c Client) Request(ctx context.Context, session string, r task.Request) (json.RawMessage, error) {
	store, s, err := c.Open(ctx, session, func(s mulligan.Summary) bool { return s.Ended == "" || s.Ended == mulligan.Waiting })
	if errors.Is(err, ErrNoneFits) {
		store, s, err = c.Open(ctx, session, nil)
	}
	if err != nil {
		return nil, err
	}
	defer store.Close()
	engine, err := c.env.JournalEngine()
	if err != nil {
		return nil, err
	}
	return c.deliverRequest(ctx, store, s, r, engine != jetstream.Embedded)
}

// deliverRequest sends a request to the session's process, again while that may be there and not hear it
// yet. shared means that other machines have the same journal.
func (c Client) deliverRequest(ctx context.Context, store controlJournal, s mulligan.Summary, r task.Request, shared bool) (json.RawMessage, error) {
	if r.ID == "" && protocol.Changes(r.Tool) {
		r.ID = rand.Text() // the session's process may store what it adds, and be killed before it says so
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; clock.Sleep(ctx, retryPause) {
		reply, err := store.Send(ctx, s.ID, string(text))
		unheard, there := errors.AsType[*jetstream.UnheardError](err)
		if there && protocol.Changes(r.Tool) {
			return nil, silentError(unheard)
		}
		// With these errors no process has heard it: none serves the session, or the one that did has just ended it.
		if !there && !errors.Is(err, jetstream.ErrNotRunning) && !errors.Is(err, mulligan.ErrOver) {
			return json.RawMessage(reply), asUsageError(err)
		}
		late := time.Since(began) > hearingTime || ctx.Err() != nil
		if s.Ended == "" && shared && !late && protocol.Changes(r.Tool) {
			continue // it may run on another machine, whose locks are not here
		}
		written, err := c.appendOffline(ctx, store, s, r)
		busy, held := errors.AsType[*lockfile.BusyError](err)
		switch {
		case held && ctx.Err() != nil:
			return nil, ctx.Err()
		case held && late:
			words := fmt.Sprintf("session %s does not answer, and its workspace is held (%s): nothing was changed", s.ID, busy.Holder)
			return nil, usererror.New(mulligan.ExitBusy, words, tryAgainHint)
		case held, errors.Is(err, mulligan.ErrStale) && !late: // another process wrote first
		default:
			return written, err
		}
	}
}

// asUsageError makes what a session refused an error of usage, in the session's own words.
func asUsageError(err error) error {
	if err == nil {
		return nil
	}
	return &usererror.Error{Code: mulligan.ExitUsage, Words: err.Error(), Cause: err}
}

// tryAgainHint is what to do about a session that does not answer.
const tryAgainHint = "try again in a moment; `mulligan status` says how it stands, `mulligan log` what it did last"

// silentError is about a session whose process is there and does not answer.
func silentError(e *jetstream.UnheardError) error {
	hint := tryAgainHint
	if e.Stopped {
		hint = fmt.Sprintf("`kill -CONT %d` lets it go on, `kill -KILL %d` ends it", e.PID, e.PID)
	}
	return &usererror.Error{Code: mulligan.ExitBusy, Words: e.Error(), Hint: hint, Cause: e}
}

// NotRunningError returns the refusal of what only a process that runs the session can do.
func NotRunningError(id string) error {
	return usererror.Usage(fmt.Sprintf("session %s does not run", id), "`mulligan resume` goes on with it, `mulligan status` says how it stands")
}

// keepOthersOut keeps every process from resuming a session, until release. The process that runs a
// session writes its journal alone, and would stop if another did. That no process serves the session
// yet, or just now, is no proof that none runs it, but the workspace's lock is. Another session that
// holds the lock keeps this one out as well. Otherwise the error is the *lockfile.BusyError.
func (c Client) keepOthersOut(s mulligan.Summary) (release func(), err error) {
	folders, err := c.env.Folders()
	if err != nil {
		return nil, err
	}
	release, err = worklock.PassBy(folders.Lock(s.Dir))
	if busy, held := errors.AsType[*lockfile.BusyError](err); held {
		holder := worklock.ParseHolder(busy.Holder)
		if holder.Session != "" && holder.Session != s.ID && holder.Alive() {
			return func() {}, nil
		}
	}
	return release, err
}

// appendOffline writes what a person wants into the journal of a session that no process runs. A
// *lockfile.BusyError means that one may.
func (c Client) appendOffline(ctx context.Context, store mulligan.Journal, s mulligan.Summary, r task.Request) (json.RawMessage, error) {
	if err := refuseOver(s, r.Tool); err != nil {
		return nil, err
	}
	if protocol.Changes(r.Tool) {
		release, err := c.keepOthersOut(s)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	st, err := journal.Fold(store.Read(ctx, s.ID, 1))
	if err != nil {
		return nil, err
	}
	if err := refuseOver(st.Summary(), r.Tool); err != nil { // it may have ended meanwhile
		return nil, err
	}
	if r.Tool == protocol.ToolPause {
		return nil, NotRunningError(s.ID)
	}
	bodies, reply, err := protocol.Apply(st, r, time.Time{})
	if err != nil {
		return nil, asUsageError(err)
	}
	after, now := st.Last, c.env.SessionClock().Now()
	var events []mulligan.Event
	for _, b := range bodies {
		e := mulligan.Event{Session: s.ID, Number: st.Last + 1, Time: now, Body: c.env.Secrets.Body(b)}
		if err := st.Apply(e); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	if len(events) > 0 {
		if err := store.Append(ctx, s.ID, after, events, st.Summary()); err != nil {
			return nil, err
		}
	}
	return json.Marshal(reply)
}

// refuseOver refuses to change a session that has ended well.
func refuseOver(s mulligan.Summary, tool string) error {
	if sessions.EndedWell(s) && protocol.Changes(tool) {
		return sessions.OverError(s)
	}
	return nil
}
