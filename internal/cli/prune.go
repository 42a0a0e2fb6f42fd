package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/sessions"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
)

// pruneOptions are what `prune` was told.
type pruneOptions struct {
	Older  age
	DryRun bool
	Force  bool
}

func newPrune(a *App) *cobra.Command {
	opt := pruneOptions{Older: age(90 * 24 * time.Hour)}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Clear away what old sessions left behind",
		Long: `Prune removes what finished sessions left in the state folder: what their agents and checks
printed, their snapshots, and their worktrees. What happened in them stays: their events are
sealed, a small file each, and ` + "`mulligan log`, `status` and `export`" + ` read those as before.

A session that ` + "`mulligan resume`" + ` would go on with is never touched, and a worktree with work
that is not committed is kept unless --force is given.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.prune(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.Var(&opt.Older, "older", "sessions that ended longer ago than this: 90d, 12w, 36h")
	f.BoolVarP(&opt.DryRun, "dry-run", "n", false, "only say what would be removed")
	f.BoolVar(&opt.Force, "force", false, "remove worktrees also where work is not committed")
	return cmd
}

// An age is a duration that people give in days and weeks.
type age time.Duration

func (g *age) String() string { return strconv.Itoa(int(time.Duration(*g)/(24*time.Hour))) + "d" }
func (g *age) Type() string   { return "age" }

func (g *age) Set(text string) error {
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if count, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.Atoi(count)
			if err != nil || n < 0 || n > 36500 {
				return errors.New("it reads 90d, 12w or 36h")
			}
			*g = age(time.Duration(n) * length)
			return nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("it reads 90d, 12w or 36h")
	}
	*g = age(d)
	return nil
}

// A pruner clears away, or with a dry run only counts.
type pruner struct {
	app     *App
	opt     pruneOptions
	folders environ.Folders
	before  time.Time
	bytes   int64
	count   int
}

func (a *App) prune(ctx context.Context, opt pruneOptions) error {
	folders, err := a.Folders()
	if err != nil {
		return err
	}
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return err
	}
	defer store.Close()
	b := &pruner{app: a, opt: opt, folders: folders, before: time.Now().Add(-time.Duration(opt.Older))}
	if !opt.DryRun {
		if err := a.sealSessions(ctx, store); err != nil {
			return err
		}
	}
	all, err := store.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return err
	}
	for _, s := range all {
		if !sessions.CanResume(s) && s.Updated.Before(b.before) {
			if err := b.pruneSession(ctx, s); err != nil {
				return err
			}
		}
	}
	if err := b.removeLogs(); err != nil {
		return err
	}
	b.printTotal()
	return nil
}

// An archive can move sessions that are over out of the journal's engine.
type archive interface {
	Tidy(ctx context.Context, now time.Time, most int) (jetstream.Tidied, error)
	DropArtifacts(ctx context.Context, before time.Time) error
}

// sealSessions moves what is over out of the engine, and drops what nothing refers to any more.
func (a *App) sealSessions(ctx context.Context, store archive) error {
	t, err := store.Tidy(ctx, time.Now(), 1<<30)
	if err == nil {
		err = store.DropArtifacts(ctx, time.Now().Add(-24*time.Hour))
	}
	if t.Sealed > 0 {
		fmt.Fprintf(a.Stdout, "sealed %s\n", sessionCount(t.Sealed))
	}
	for _, month := range t.Dropped {
		fmt.Fprintf(a.Stdout, "dropped %s-%s from the engine: all of it is sealed\n", month[:4], month[4:])
	}
	return err
}

func sessionCount(n int) string {
	if n == 1 {
		return "1 session"
	}
	return strconv.Itoa(n) + " sessions"
}

// pruneSession removes what one session left.
func (b *pruner) pruneSession(ctx context.Context, s mulligan.Summary) error {
	had := b.bytes
	if err := b.removeWorktree(ctx, s); err != nil {
		fmt.Fprintf(b.app.Stdout, "%s  its worktree %s is kept: %v\n", s.ID, s.Dir, err)
	}
	if err := b.remove(b.folders.Session(s.ID)); err != nil {
		return err
	}
	if !b.opt.DryRun {
		if err := workspace.ForgetSnapshots(ctx, b.folders.Snapshots(s.Root), s.ID); err != nil {
			return err
		}
	}
	if freed := b.bytes - had; freed > 0 {
		b.count++
		fmt.Fprintf(b.app.Stdout, "%s  %s, %s  %s\n", s.ID, strings.ReplaceAll(string(s.Ended), "_", " "), s.Updated.Local().Format("2006-01-02"), formatSize(freed))
	}
	return nil
}

// removeWorktree removes a worktree of the session's own, where nobody works in it.
func (b *pruner) removeWorktree(ctx context.Context, s mulligan.Summary) error {
	if s.Dir == s.Root || s.Dir != b.folders.Worktree(s.Root, s.ID) {
		return nil
	}
	if _, err := os.Stat(s.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := workspace.Lock(b.folders.Lock(s.Dir))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if !b.opt.Force {
		if err := b.refuseDirty(ctx, s); err != nil {
			return err
		}
	}
	b.bytes += measureSize(s.Dir)
	if b.opt.DryRun {
		return nil
	}
	if err := workspace.RemoveWorktree(ctx, s.Root, s.Dir); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(b.folders.Lock(s.Dir)))
}

// refuseDirty refuses a worktree that has work in it which is nowhere else.
func (b *pruner) refuseDirty(ctx context.Context, s mulligan.Summary) error {
	ws, err := workspace.Open(ctx, workspace.Options{Dir: s.Dir, Snapshots: b.folders.Snapshots(s.Root), Log: func(string) {}})
	if err != nil {
		return err
	}
	defer ws.Close()
	dirty, err := ws.Dirty(ctx)
	if err == nil && len(dirty) > 0 {
		err = fmt.Errorf("%d files are not committed; --force removes it", len(dirty))
	}
	return err
}

// removeLogs removes the logs of processes that ran on their own.
func (b *pruner) removeLogs() error {
	entries, err := os.ReadDir(b.folders.Logs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(b.before) {
			continue
		}
		if err := b.remove(filepath.Join(b.folders.Logs(), entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (b *pruner) remove(path string) error {
	b.bytes += measureSize(path)
	if b.opt.DryRun {
		return nil
	}
	return os.RemoveAll(path)
}

func (b *pruner) printTotal() {
	verb := "removed"
	if b.opt.DryRun {
		verb = "would remove"
	}
	if b.bytes == 0 {
		fmt.Fprintf(b.app.Stdout, "nothing to remove: no finished session is older than %s\n", &b.opt.Older)
		return
	}
	fmt.Fprintf(b.app.Stdout, "%s what %s left, %s; what happened in them stays in the journal\n", verb, sessionCount(b.count), formatSize(b.bytes))
}

// measureSize is what a file, or a folder with all in it, takes.
func measureSize(path string) (bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone, or not ours to look into: it weighs nothing
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

func formatSize(bytes int64) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
