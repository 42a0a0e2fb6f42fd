package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/lockfile"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/internal/workspace"
)

func newRestore(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "restore [SESSION] [SNAPSHOT]",
		Short: "List the snapshots of a session's workspace, or bring one back",
		Long: `Before each attempt, and after each turn, the workspace is kept as a snapshot. Restore
lists them; given one, it makes the files of the workspace equal to it. What is there now
is kept as a snapshot first, and ignored files are left alone. Without a session it is this
workspace's newest.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, snapshot := splitRestoreArgs(args)
			return a.restore(cmd.Context(), session, snapshot)
		},
	}
}

// sessionID matches the beginning of session ids, and of no snapshot's name.
var sessionID = regexp.MustCompile(`^\d{8}-`)

// splitRestoreArgs tells a session from a snapshot if only one is given.
func splitRestoreArgs(args []string) (session, snapshot string) {
	switch {
	case len(args) == 2:
		return args[0], args[1]
	case len(args) == 1 && sessionID.MatchString(args[0]):
		return args[0], ""
	}
	return "", firstArg(args)
}

func (a *App) restore(ctx context.Context, session, name string) error {
	s, err := a.client().Find(ctx, session, nil)
	if err != nil {
		return err
	}
	where, err := a.Folders()
	if err != nil {
		return err
	}
	lock, err := a.lockWorkspace(ctx, where, s)
	if err != nil && name != "" {
		return err
	}
	if lock != nil {
		defer lock.Unlock()
	}
	ws, err := workspace.Open(ctx, workspace.Options{Dir: s.Dir, Snapshots: where.Snapshots(s.Root), Log: func(string) {}})
	if err != nil {
		return err
	}
	defer ws.Close()
	list, err := ws.Snapshots(ctx, s.ID)
	if err != nil {
		return err
	}
	if name == "" {
		return a.listSnapshots(s, list)
	}
	return a.restoreSnapshot(ctx, ws, s, list, name)
}

// lockWorkspace keeps a running session's files from being changed under it. Listing needs no lock.
func (a *App) lockWorkspace(ctx context.Context, where environ.Folders, s mulligan.Summary) (*lockfile.File, error) {
	lock, err := worklock.Take(ctx, where.Lock(s.Dir), func(session string) bool { return session == s.ID && s.Ended != "" })
	if err != nil {
		return nil, err
	}
	if session := worklock.ParseHolder(lock.Before()).Session; session != "" {
		if _, err := process.EndLeftovers(session); err != nil {
			return nil, errors.Join(fmt.Errorf("session %s: %w", session, err), lock.Unlock())
		}
	}
	return lock, lock.Note(worklock.SessionNote("restore"))
}

func (a *App) listSnapshots(s mulligan.Summary, list []workspace.Snapshot) error {
	if len(list) == 0 {
		return usererror.Usage("session "+s.ID+" has no snapshots", "")
	}
	fmt.Fprintf(a.Stdout, "snapshots of session %s, %s\n", s.ID, s.Dir)
	width := 0
	for _, snap := range list {
		width = max(width, len(snap.Label)-len(s.ID)-1)
	}
	for _, snap := range list {
		fmt.Fprintf(a.Stdout, "  %-*s  %s  %.10s\n", width, strings.TrimPrefix(snap.Label, s.ID+"/"), snap.Time.Local().Format("2006-01-02 15:04:05"), snap.Tree.ID)
	}
	fmt.Fprintln(a.Stdout, "N is the tree before iteration N, N-after what its turn left, N-checks what its checks left; `mulligan restore NAME` brings one back")
	return nil
}

func (a *App) restoreSnapshot(ctx context.Context, ws *workspace.Workspace, s mulligan.Summary, list []workspace.Snapshot, name string) error {
	for _, snap := range list {
		if strings.TrimPrefix(snap.Label, s.ID+"/") != name {
			continue
		}
		kept := "before-restore-" + time.Now().UTC().Format("20060102-150405.000")
		_, head, err := ws.Head(ctx)
		if err != nil {
			return err
		}
		// Only the files are restored: where HEAD is, is up to the person.
		if err := ws.Restore(ctx, mulligan.Tree{ID: snap.Tree.ID, Head: head}, s.ID+"/"+kept); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%s is as snapshot %s; what was there is kept: mulligan restore %s %s\n", s.Dir, name, s.ID, kept)
		return nil
	}
	return usererror.Usage(fmt.Sprintf("session %s has no snapshot %q", s.ID, name), "`mulligan restore` lists them")
}
