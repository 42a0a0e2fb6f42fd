package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/history/past"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/internal/workspace"
	"mulligan/journal"
	"mulligan/journal/jetstream"
)

// SettleKilled deals with what a session whose process was killed may have left in the config, before a
// command reads it: nobody can tell whose a change is. In the repository the config, and the files that it
// names, are put back to what the session had, and what was there is kept. A user's own config that has
// changed is refused until the person takes it. The record of a session that had ended is made, so that the
// next one knows it.
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
	if _, err := os.Stat(r.Dir); err != nil {
		return nil // a command that needs the workspace says that it is gone
	}
	lock, err := worklock.Take(ctx, folders.Lock(r.Dir), func(string) bool { return false })
	if err != nil {
		return nil // it runs; a command that needs the workspace says so
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
	unsent, err := settleSession(ctx, env, folders, root, r, lock.File())
	if err != nil || unsent {
		return err
	}
	return env.DropRunning(root, r.Session)
}

// settleSession deals with what the journal has of a killed session: it makes the record of one that had
// ended, and puts the config back to that of another which worked in the person's checkout. unsent means that one which
// had ended has notices for a person: whoever knows the config sends them.
func settleSession(ctx context.Context, env *environ.Env, folders environ.Folders, root string, r environ.Running, hold *os.File) (unsent bool, err error) {
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
	case state.Outcome != nil:
		warn := func(text string) { fmt.Fprintln(env.Stderr, "mulligan: "+text) }
		if err := addRecord(ctx, past.New(folders.History(), warn), store, r.Session); err != nil {
			warn(err.Error())
		}
		return len(state.Notifying) > 0, nil
	case state.Plan == nil || r.Dir != root:
		return false, nil
	}
	return false, putConfigBack(ctx, env, folders, r, state, store, hold)
}

// putConfigBack puts the config, and the files that it names, back to what the killed session's turn began
// with. Differing ones are kept as a snapshot, and a note tells how to have them. A config that the person has checked
// out with a commit from before the session is theirs, and stays.
func putConfigBack(ctx context.Context, env *environ.Env, folders environ.Folders, r environ.Running, state *mulligan.State, store *jetstream.Store, hold *os.File) error {
	ws, err := workspace.Open(ctx, workspace.Options{
		Dir: r.Dir, Branch: state.Place.Branch, Snapshots: folders.Snapshots(state.Place.Root), Hold: hold,
		Known: knownOf(state), MemoryOf: findMemory(ctx, store),
	})
	if err != nil {
		return err
	}
	defer ws.Close()
	known := (&reentry{state: state}).treeAfterKill()
	if known.ID == "" || !ws.HasSnapshot(ctx, known.ID) {
		return nil
	}
	paths, now, err := ws.ComparePathsNow(ctx, known, state.Plan.Files)
	if err != nil || len(paths) == 0 {
		return err
	}
	if older := findOlderCommit(ctx, ws, state, store, now, paths); older != "" {
		fmt.Fprintf(env.Stderr, "mulligan: %s is as commit %.7s has it, which is older than session %s, and stays: `mulligan resume %s` goes by the session's own, `%s` goes back to where it began\n",
			joinPaths(paths), older, r.Session, r.Session, formatSwitchBack(state.Place))
		return nil
	}
	kept, err := ws.PutPathsBack(ctx, known, now, paths, r.Session+"/"+mulligan.AsideLabel)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "mulligan: session %s was killed in a turn, and %s differs from what the turn began with: nobody can tell whose change that is\n"+
		"  the session's own version holds; `mulligan restore %s` brings the other back: to have it taken, restore it when the session has ended, and run again\n",
		r.Session, joinPaths(paths), strings.Replace(kept, "/", " ", 1))
	return nil
}

// formatSwitchBack returns the command that checks out what a session began on.
func formatSwitchBack(place mulligan.Place) string {
	if place.Origin == "" {
		return fmt.Sprintf("git checkout --detach %.10s", place.Base)
	}
	return "git switch " + place.Origin
}
