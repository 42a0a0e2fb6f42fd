package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	var force bool
	cmd := &cobra.Command{
		Use:   "restore [SESSION] [SNAPSHOT]",
		Short: "List the snapshots of a session's workspace, or bring one back",
		Long: `Before each attempt, and after each turn, the workspace is kept as a snapshot; "left" is the
workspace as the session's end left it, "aside-1" what was put aside after a crash. Restore lists
them; given one, it makes the files of the workspace equal to it. It changes files only: no
branch, no commit, and nothing that is staged. What is there now is kept as a snapshot first, and
the command that brings that back is printed. Ignored files are left alone.

The branch that the session worked on has to be checked out, and no merge or the like may be
under way: --force restores the files all the same.

Without a session it is this workspace's newest.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, snapshot := splitRestoreArgs(args)
			return a.restore(cmd.Context(), session, snapshot, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also on another branch, and in the middle of a merge")
	return cmd
}

// sessionID matches the beginning of session ids, and of no snapshot's name.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{8}-`) })

// splitRestoreArgs tells a session from a snapshot if only one is given.
func splitRestoreArgs(args []string) (session, snapshot string) {
	switch {
	case len(args) == 2:
		return args[0], args[1]
	case len(args) == 1 && sessionID().MatchString(args[0]):
		return args[0], ""
	}
	return "", firstArg(args)
}

// restore lists the snapshots of a session, or restores the one that is named. given is the session as the
// person named it.
func (a *App) restore(ctx context.Context, given, name string, force bool) error {
	s, err := a.client().Find(ctx, given, nil)
	if err != nil {
		return err
	}
	where, err := a.Folders()
	if err != nil {
		return err
	}
	lock, err := a.lockWorkspace(ctx, where, s, "restore")
	if err != nil && name != "" {
		return err
	}
	if lock != nil {
		defer lock.Unlock()
	}
	ws, err := workspace.Open(ctx, workspace.Options{Dir: s.Dir, Snapshots: where.Snapshots(s.Root), Log: a.printNotice})
	if err != nil {
		return explainGoneFolder(s, err)
	}
	defer ws.Close()
	list, err := ws.Snapshots(ctx, s.ID)
	if err != nil {
		return err
	}
	thinned, err := workspace.ReadThinned(where.Snapshots(s.Root), s.ID)
	if err != nil {
		return err
	}
	if name == "" {
		return a.listSnapshots(s, list, thinned)
	}
	i := slices.IndexFunc(list, func(snap workspace.Snapshot) bool { return snap.Label == s.ID+"/"+name })
	if i < 0 {
		return missingSnapshot(s, name, thinned)
	}
	r := restoration{app: a, ws: ws, session: s, list: list, snap: list[i], name: name, given: given, force: force}
	return r.run(ctx)
}

// printNotice prints what the workspace has to say to the person.
func (a *App) printNotice(text string) { fmt.Fprintf(a.Stderr, "mulligan: %s\n", text) }

// explainGoneFolder returns err in words if the folder of the session is gone.
func explainGoneFolder(s mulligan.Summary, err error) error {
	if _, missing := os.Stat(s.Dir); !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	hint := ""
	if s.Branch != "" {
		hint = "what it committed is on the branch " + s.Branch
	}
	return usererror.Usage(fmt.Sprintf("the folder %s of session %s is gone", s.Dir, s.ID), hint)
}

// lockWorkspace keeps sessions out of the files of s while a command works with them: a running one's are
// not changed under it.
func (a *App) lockWorkspace(ctx context.Context, where environ.Folders, s mulligan.Summary, command string) (*lockfile.File, error) {
	lock, err := worklock.Take(ctx, where.Lock(s.Dir), func(session string) bool { return session == s.ID && s.Ended != "" })
	if err != nil {
		return nil, err
	}
	if session := worklock.ParseHolder(lock.Before()).Session; session != "" {
		if _, err := process.EndLeftovers(session); err != nil {
			return nil, errors.Join(fmt.Errorf("session %s: %w", session, err), lock.Unlock())
		}
	}
	return lock, lock.Note(worklock.CommandNote(command))
}

func (a *App) listSnapshots(s mulligan.Summary, list []workspace.Snapshot, thinned workspace.Thinned) error {
	if len(list) == 0 {
		return usererror.Usage("session "+s.ID+" has no snapshots", describeThinned(thinned))
	}
	fmt.Fprintf(a.Stdout, "snapshots of session %s, %s\n", s.ID, s.Dir)
	width := 0
	for _, snap := range list {
		width = max(width, len(snap.Label)-len(s.ID)-1)
	}
	for _, snap := range list {
		fmt.Fprintf(a.Stdout, "  %-*s  %s  %.10s\n", width, strings.TrimPrefix(snap.Label, s.ID+"/"), snap.Time.Local().Format("2006-01-02 15:04:05"), snap.Tree.ID)
	}
	if line := describeThinned(thinned); line != "" {
		fmt.Fprintln(a.Stdout, line)
	}
	fmt.Fprintln(a.Stdout, "N is the tree before iteration N, N-after what its turn left, N-checks what its checks left, N-skipped\nand N-rolled-back what was put back for a person, left what the session's end left,\n"+
		"returned what your checkout had when it was given back, before-going-on what it had when the session entered it again,\n"+
		"aside-N what was put aside after a crash; `mulligan restore NAME` brings one back")
	return nil
}
