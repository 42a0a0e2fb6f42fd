package runner

import (
	"context"
	"io/fs"
	"os"
	"sync"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// A guardedJournal is the journal of a process that runs sessions: it stores nothing in a state
// folder that was deleted, and lists sessions though others are damaged.
type guardedJournal struct {
	*jetstream.Store
	state  string
	was    fs.FileInfo // the state folder, when the journal was opened
	warn   func(string)
	warned *sync.Once
}

// guardJournal notes which folder the state is in.
func guardJournal(s *jetstream.Store, state string, warn func(string)) (guardedJournal, error) {
	was, err := os.Stat(state)
	return guardedJournal{Store: s, state: state, was: was, warn: warn, warned: &sync.Once{}}, err
}

// Append stores nothing in a folder that is gone: the engine has its files open, and would continue
// to acknowledge what it writes to files that were deleted.
func (j guardedJournal) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if now, err := os.Stat(j.state); err != nil || !os.SameFile(now, j.was) {
		return usererror.New(mulligan.ExitInternal, "mulligan's state folder "+j.state+" was deleted while the session ran",
			"the workspace is as the agent left it; the journal and the snapshots of this and all other sessions are lost")
	}
	return j.Store.Append(ctx, session, after, events, s)
}

// Sessions returns the sessions that can be read. It warns once of damaged ones, which keep no other
// session from being run.
func (j guardedJournal) Sessions(ctx context.Context) ([]mulligan.Summary, error) {
	all, err := j.Store.Sessions(ctx)
	if !jetstream.Damaged(err) {
		return all, err
	}
	j.warned.Do(func() { j.warn(sessions.DescribeDamage(err)) })
	return all, nil
}
