package cli

import (
	"context"
	"io/fs"
	"os"

	"mulligan"
	"mulligan/journal/jetstream"
)

// A heldJournal is the journal of a process that runs sessions. The engine has its files
// open, and would go on to acknowledge what it writes to files that somebody has deleted.
type heldJournal struct {
	*jetstream.Store
	state string
	was   fs.FileInfo
}

// holdJournal notes which folder the state is in.
func holdJournal(store *jetstream.Store, state string) (heldJournal, error) {
	was, err := os.Stat(state)
	return heldJournal{Store: store, state: state, was: was}, err
}

// Append stores nothing in a folder that is gone.
func (j heldJournal) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if now, err := os.Stat(j.state); err != nil || !os.SameFile(now, j.was) {
		return &hintError{
			code: mulligan.ExitInternal,
			what: "mulligan's state folder " + j.state + " was deleted while the session ran",
			hint: "the workspace is as the agent left it; the journal and the snapshots of this and all other sessions are lost",
		}
	}
	return j.Store.Append(ctx, session, after, events, s)
}
