package runner

import (
	"context"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/protocol"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// A controlServer answers what other processes send to a session, until stop.
type controlServer interface {
	Serve(session string, answer func(verb string) (reply string, err error)) (stop func(), err error)
}

// A sealer moves sessions that are over out of the journal's engine, if this process hosts it.
type sealer interface {
	Hosting() bool
	Tidy(ctx context.Context, now time.Time, most int) (jetstream.Tidied, error)
}

// A broadcaster publishes what happens to other processes: what the children of a session print, and
// its events.
type broadcaster interface {
	Live(session string) io.Writer
	Listen(address string) (*jetstream.Listener, error)
}

// A claimer decides which session does a piece of work.
type claimer interface {
	Claim(ctx context.Context, work, session, by string, free func(jetstream.Claim) (bool, error)) error
	Release(ctx context.Context, work, session string) error
}

// A store is what a runner needs of the journal.
type store interface {
	mulligan.Journal
	protocol.Sender
	claimer
	controlServer
	sealer
	broadcaster
}

// A guardedJournal is the journal of a process that runs sessions: it stores nothing in a state
// folder that was deleted, and lists sessions though others are damaged.
type guardedJournal struct {
	store
	state  string
	was    fs.FileInfo // the state folder, when the journal was opened
	warn   func(string)
	warned *sync.Once
}

// guardJournal notes which folder the state is in.
func guardJournal(s store, state string, warn func(string)) (guardedJournal, error) {
	was, err := os.Stat(state)
	return guardedJournal{store: s, state: state, was: was, warn: warn, warned: &sync.Once{}}, err
}

// Append stores nothing in a folder that is gone: the engine has its files open, and would continue
// to acknowledge what it writes to files that were deleted.
func (j guardedJournal) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if err := j.checkState(); err != nil {
		return err
	}
	return j.store.Append(ctx, session, after, events, s)
}

// checkState returns the error of a state folder that was deleted since the journal was opened.
func (j guardedJournal) checkState() error {
	if now, err := os.Stat(j.state); err == nil && os.SameFile(now, j.was) {
		return nil
	}
	return usererror.New(mulligan.ExitInternal, "mulligan's state folder "+j.state+" was deleted while the session ran",
		"the journal, the workspaces and the attempts of this and all other sessions are lost; verified commits are branches of your repository (git branch --list 'mulligan/*'), and `mulligan run` begins anew")
}

// Sessions returns the sessions that can be read. It warns once of damaged ones, which keep no other
// session from being run.
func (j guardedJournal) Sessions(ctx context.Context) ([]mulligan.Summary, error) {
	all, err := j.store.Sessions(ctx)
	if !jetstream.Damaged(err) {
		return all, err
	}
	j.warned.Do(func() { j.warn(sessions.DescribeDamage(err)) })
	return all, nil
}
