package cli

import (
	"context"
	"errors"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
)

// runs says whether a process runs the session: it answers, or holds the session's workspace.
func (a *App) runs(ctx context.Context, store *jetstream.Store, s mulligan.Summary) bool {
	if s.Ended != "" {
		return false
	}
	// One that is there and does not answer, because it is stopped or very busy, runs.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := store.Send(ctx, s.ID, "ping")
	return !errors.Is(err, jetstream.ErrNotRunning) || a.held(s)
}

// stands says how a session stands. One that was not over may have ended while we looked, and one that
// does not answer may be about to: its last word is looked for once more.
func (a *App) stands(ctx context.Context, store *jetstream.Store, s mulligan.Summary) (now mulligan.Summary, running bool, err error) {
	if s.Ended != "" {
		return s, false, nil
	}
	running = a.runs(ctx, store, s)
	if s, err = summary(ctx, store, s.ID); err != nil {
		return s, false, err
	}
	return s, running && s.Ended == "", nil
}

// held says whether a living process of this machine works on the session: it has the lock of the
// workspace and has noted so. The note alone tells nothing, for one that was killed leaves it, and its
// process id goes to others; nor does the lock, which its keepers have until they are done. One that
// nobody hears may be starting, or looking for a new host of the journal.
func (a *App) held(s mulligan.Summary) bool {
	state, err := a.StateDir()
	if err != nil {
		return false
	}
	note, taken := workspace.Holder(environ.Folders{State: state}.Lock(s.Dir))
	return taken && holderSession(note) == s.ID && process.Alive(holderPID(note))
}

// heldID is held, of a session by its id. Where the journal cannot tell, nobody can say that it is not.
func (a *App) heldID(ctx context.Context, store *jetstream.Store, id string) bool {
	s, err := summary(ctx, store, id)
	return err != nil || a.held(s)
}
