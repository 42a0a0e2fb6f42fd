package runner

import (
	"context"
	"errors"
	"fmt"

	"mulligan"
	"mulligan/config"
	"mulligan/history/past"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/journal"
	"mulligan/journal/jetstream"
)

// SettleKilled deals with the sessions whose processes were killed, before a command begins or resumes another. A user's own
// config that has changed meanwhile is refused until the person takes it: an agent that nothing confined may have written
// it. The record of a session that had ended is made, so that the next one knows it.
func SettleKilled(ctx context.Context, env *environ.Env, root string) error {
	for _, r := range env.ListRunning(root) {
		if err := settleKilled(ctx, env, root, r); err != nil {
			return err
		}
	}
	return nil
}

func settleKilled(ctx context.Context, env *environ.Env, root string, r environ.Running) error {
	folders, err := env.Folders()
	if err != nil {
		return err
	}
	lock, err := worklock.Take(ctx, folders.Lock(r.Dir), func(string) bool { return false })
	if err != nil {
		return nil // it runs, or another session works in its slot
	}
	defer lock.Unlock()
	n, err := process.EndLeftovers(r.Session)
	if n > 0 {
		fmt.Fprintf(env.Stderr, "mulligan: processes of an earlier run of session %s were still there (%d), and were ended\n", r.Session, n)
	}
	if err != nil {
		return fmt.Errorf("session %s: %w", r.Session, err)
	}
	if r.User != "" && r.User != env.HashUserConfig() {
		return usererror.Usage(
			fmt.Sprintf("session %s was killed, and your own config %s has changed since it began: nobody can tell whether you or its agent changed it", r.Session, config.UserFile(env.Environ)),
			"look at the file; `mulligan trust` takes it as it is",
		)
	}
	unsent, err := recordKilled(ctx, env, folders, r)
	if err != nil || unsent {
		return err
	}
	return env.DropRunning(root, r.Session)
}

// recordKilled makes the record of a killed session that had ended. unsent means that it has notices for a person: the
// process that knows the config sends them.
func recordKilled(ctx context.Context, env *environ.Env, folders environ.Folders, r environ.Running) (unsent bool, err error) {
	store, err := env.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return false, err
	}
	defer store.Close()
	state, err := journal.Fold(store.Read(ctx, r.Session, 1))
	switch {
	case errors.Is(err, mulligan.ErrNoSession):
		return false, nil
	case err != nil:
		return false, err
	case state.Outcome == nil:
		return false, nil
	}
	warn := func(text string) { fmt.Fprintln(env.Stderr, "mulligan: "+text) }
	if err := addRecord(ctx, past.New(folders.History(), warn), store, r.Session); err != nil {
		warn(err.Error())
	}
	return len(state.Notifying) > 0, nil
}
