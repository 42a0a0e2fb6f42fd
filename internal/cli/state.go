package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// A heldJournal is the journal of a process that runs sessions.
type heldJournal struct {
	*jetstream.Store
	state  string
	was    fs.FileInfo
	warn   func(string)
	warned *sync.Once
}

// holdJournal notes which folder the state is in.
func holdJournal(store *jetstream.Store, state string, warn func(string)) (heldJournal, error) {
	was, err := os.Stat(state)
	return heldJournal{Store: store, state: state, was: was, warn: warn, warned: &sync.Once{}}, err
}

// Append stores nothing in a folder that is gone: the engine has its files open, and would
// go on to acknowledge what it writes to files that somebody has deleted.
func (j heldJournal) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if now, err := os.Stat(j.state); err != nil || !os.SameFile(now, j.was) {
		return &usererror.Error{
			Code:  mulligan.ExitInternal,
			Words: "mulligan's state folder " + j.state + " was deleted while the session ran",
			Hint:  "the workspace is as the agent left it; the journal and the snapshots of this and all other sessions are lost",
		}
	}
	return j.Store.Append(ctx, session, after, events, s)
}

// Sessions are those that can be read: a damaged one is told of, and keeps no other from
// being run.
func (j heldJournal) Sessions(ctx context.Context) ([]mulligan.Summary, error) {
	all, err := j.Store.Sessions(ctx)
	if !jetstream.Damaged(err) {
		return all, err
	}
	j.warned.Do(func() { j.warn(damageText(err)) })
	return all, nil
}

const damageHint = "`mulligan journal check` says what is damaged, `mulligan journal repair` keeps what can be read"

// damaged is the error of a command that could not do all of its work.
func damaged(err error) error {
	return &usererror.Error{Code: mulligan.ExitInternal, Words: damageText(err), Hint: damageHint}
}

// damageText is the first of the damages, and how many more there are.
func damageText(err error) string {
	lines := strings.Split(err.Error(), "\n")
	text := "the journal is damaged: " + lines[0]
	if more := len(lines) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// listed are the sessions that can be read. A damaged one is told of.
func (a *App) listed(ctx context.Context, store *jetstream.Store) ([]mulligan.Summary, error) {
	all, err := store.Sessions(ctx)
	if !jetstream.Damaged(err) {
		return all, err
	}
	fmt.Fprintf(a.Stderr, "mulligan: %s\n  %s\n", damageText(err), damageHint)
	return all, nil
}

// certain are the sessions, for a command that acts on the newest of them: with one of them
// damaged nobody can tell which that is.
func (a *App) certain(ctx context.Context, store *jetstream.Store) ([]mulligan.Summary, error) {
	all, err := store.Sessions(ctx)
	if jetstream.Damaged(err) {
		return nil, &usererror.Error{
			Code: mulligan.ExitInternal, Words: damageText(err),
			Hint: "so the newest session is not known: name the one that you mean, `mulligan sessions --all` lists those that can be read; " + damageHint,
		}
	}
	return all, err
}
