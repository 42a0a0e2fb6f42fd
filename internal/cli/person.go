package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
	"mulligan/task"
)

const (
	// hearing is how long a session may take to hear what a person wants: it may be starting, or
	// looking for a new host of the journal.
	hearing = 10 * time.Second
	// sayAgain is how long is waited before it is said again.
	sayAgain = 50 * time.Millisecond
)

// personCall does what a person wants of a session: by the process that runs it, or, where
// none does, in the journal itself. "" is this repository's newest session that is not over.
func (a *App) personCall(ctx context.Context, session string, r task.Request) (json.RawMessage, error) {
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	s, err := a.pick(ctx, store, session, func(s mulligan.Summary) bool { return s.Ended == "" || s.Ended == mulligan.Waiting })
	if errors.Is(err, errNoneFits) {
		s, err = a.pick(ctx, store, session, nil)
	}
	if err != nil {
		return nil, err
	}
	engine, err := a.JournalEngine()
	if err != nil {
		return nil, err
	}
	return a.sayTo(ctx, store, s, r, engine != jetstream.Embedded)
}

// sayTo says it to the session's process, again where that may be there and not hear it yet.
// shared says that other machines have the same journal.
func (a *App) sayTo(ctx context.Context, store *jetstream.Store, s mulligan.Summary, r task.Request, shared bool) (json.RawMessage, error) {
	verb, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; clock.Sleep(ctx, sayAgain) {
		reply, err := store.Send(ctx, s.ID, string(verb))
		deaf, there := errors.AsType[*jetstream.UnheardError](err)
		if there && changes(r.Tool) {
			return nil, silent(deaf)
		}
		if !there && !unheard(err) {
			return json.RawMessage(reply), plainly(err)
		}
		late := time.Since(began) > hearing || ctx.Err() != nil
		if s.Ended == "" && shared && !late && changes(r.Tool) {
			continue // it may run on another machine, whose locks are not here
		}
		written, err := a.amend(ctx, store, s, r)
		busy, held := errors.AsType[*workspace.BusyError](err)
		switch {
		case held && ctx.Err() != nil:
			return nil, ctx.Err()
		case held && late:
			return nil, unanswered(s, busy.Holder)
		case held, errors.Is(err, mulligan.ErrStale) && !late: // somebody else's word came first
		default:
			return written, err
		}
	}
}

// unheard says that no process that runs the session has heard it: none serves the session, or
// the one that did has just ended it.
func unheard(err error) bool {
	return errors.Is(err, jetstream.ErrNotRunning) || err != nil && err.Error() == mulligan.ErrOver.Error()
}

// plainly is an error of the session's own words.
func plainly(err error) error {
	if err == nil {
		return nil
	}
	return &usererror.Error{Code: mulligan.ExitUsage, Words: err.Error(), Cause: err}
}

// inAMoment is what to do about a session that does not answer.
const inAMoment = "try again in a moment; `mulligan status` says how it stands, `mulligan log` what it did last"

// silent says it of one whose process is there.
func silent(e *jetstream.UnheardError) error {
	hint := inAMoment
	if e.Stopped {
		hint = fmt.Sprintf("`kill -CONT %d` lets it go on, `kill -KILL %d` ends it", e.PID, e.PID)
	}
	return &usererror.Error{Code: mulligan.ExitBusy, Words: e.Error(), Hint: hint, Cause: e}
}

func unanswered(s mulligan.Summary, holder string) error {
	return &usererror.Error{
		Code:  mulligan.ExitBusy,
		Words: fmt.Sprintf("session %s does not answer, and its workspace is held (%s): nothing was changed", s.ID, holder),
		Hint:  inAMoment,
	}
}

// bar keeps every process from taking up a session, until release. Whoever runs a session writes
// its journal alone, and would stop where somebody else does: that it does not serve yet, or not
// just now, is no proof that nobody runs it, but the workspace's lock is. Another session that
// holds it keeps this one out as well. Else the error is the *workspace.BusyError.
func (a *App) bar(s mulligan.Summary) (release func(), err error) {
	state, err := a.StateDir()
	if err != nil {
		return nil, err
	}
	lock, err := workspace.Lock(environ.Folders{State: state}.Lock(s.Dir))
	if busy, held := errors.AsType[*workspace.BusyError](err); held {
		other := holderSession(busy.Holder)
		if other != "" && other != s.ID && process.Alive(holderPID(busy.Holder)) {
			return func() {}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	// The note of a session that was killed stays: whoever comes next ends what it left behind.
	release = func() { _ = errors.Join(lock.Note(lock.Before()), lock.Unlock()) }
	if err := lock.Note(passing()); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// passer is who holds a workspace's lock for a moment only.
const passer = "a person's command"

func passing() string { return fmt.Sprintf("%s, process %d", passer, os.Getpid()) }

// amend writes what a person wants into the journal of a session that no process runs. A
// *workspace.BusyError means that one may.
func (a *App) amend(ctx context.Context, store *jetstream.Store, s mulligan.Summary, r task.Request) (json.RawMessage, error) {
	if over := refuseOver(s, r.Tool); over != nil {
		return nil, over
	}
	if changes(r.Tool) {
		release, err := a.bar(s)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	st, err := foldFrom(ctx, store, s.ID)
	if err != nil {
		return nil, err
	}
	if over := refuseOver(st.Summary(), r.Tool); over != nil { // it may have ended meanwhile
		return nil, over
	}
	if r.Tool == toolPause {
		return nil, notRunning(s.ID)
	}
	bodies, reply, err := personal(st, r, time.Time{})
	if err != nil {
		return nil, plainly(err)
	}
	after, now := st.Last, a.SessionClock().Now()
	var events []mulligan.Event
	for _, b := range bodies {
		e := mulligan.Event{Session: s.ID, Number: st.Last + 1, Time: now, Body: a.Secrets.Body(b)}
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
	if (s.Ended == mulligan.Verified || s.Ended == mulligan.Accepted) && changes(tool) {
		return over(s)
	}
	return nil
}

// changes says whether a tool changes a session, and does not only look at it.
func changes(tool string) bool {
	for _, t := range task.Tools() {
		if t.Name == tool {
			return !t.Reads
		}
	}
	return true
}
