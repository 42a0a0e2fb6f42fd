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
	"mulligan/internal/lockfile"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
)

// pruneOptions are the flags of `prune`.
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

// A pruner removes what old sessions left, or, in a dry run, only counts it.
type pruner struct {
	app     *App
	opt     pruneOptions
	folders environ.Folders
	before  time.Time
	bytes   int64
	count   int
}

// prune removes what finished sessions left, and seals them.
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
	p := &pruner{app: a, opt: opt, folders: folders, before: time.Now().Add(-time.Duration(opt.Older))}
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
		if !sessions.CanResume(s) && s.Updated.Before(p.before) {
			if err := p.pruneSession(ctx, s); err != nil {
				return err
			}
		}
	}
	if err := p.removeLogs(); err != nil {
		return err
	}
	p.printTotal()
	return nil
}

// sealSessions moves sessions that are over out of the engine, and drops artifacts that no event refers
// to any more.
func (a *App) sealSessions(ctx context.Context, store *jetstream.Store) error {
	t, err := store.Tidy(ctx, time.Now(), 1<<30)
	if err == nil {
		err = store.DropArtifacts(ctx, time.Now().Add(-24*time.Hour))
	}
	if t.Sealed > 0 {
		fmt.Fprintf(a.Stdout, "sealed %s\n", text.Count(t.Sealed, "session"))
	}
	for _, month := range t.Dropped {
		fmt.Fprintf(a.Stdout, "dropped %s-%s from the engine: all of it is sealed\n", month[:4], month[4:])
	}
	return err
}

// pruneSession removes what one session left.
func (p *pruner) pruneSession(ctx context.Context, s mulligan.Summary) error {
	had := p.bytes
	if err := p.removeWorktree(ctx, s); err != nil {
		fmt.Fprintf(p.app.Stdout, "%s  its worktree %s is kept: %v\n", s.ID, s.Dir, err)
	}
	if err := p.remove(p.folders.Session(s.ID)); err != nil {
		return err
	}
	if !p.opt.DryRun {
		if err := workspace.ForgetSnapshots(ctx, p.folders.Snapshots(s.Root), s.ID); err != nil {
			return err
		}
	}
	if freed := p.bytes - had; freed > 0 {
		p.count++
		fmt.Fprintf(p.app.Stdout, "%s  %s, %s  %s\n", s.ID, strings.ReplaceAll(string(s.Ended), "_", " "), s.Updated.Local().Format("2006-01-02"), formatSize(freed))
	}
	return nil
}

// removeWorktree removes a worktree of the session's own, unless a process works in it.
func (p *pruner) removeWorktree(ctx context.Context, s mulligan.Summary) error {
	if s.Dir == s.Root || s.Dir != p.folders.Worktree(s.Root, s.ID) {
		return nil
	}
	if _, err := os.Stat(s.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := lockfile.Lock(p.folders.Lock(s.Dir))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if !p.opt.Force {
		if err := p.refuseDirty(ctx, s); err != nil {
			return err
		}
	}
	p.bytes += measureSize(s.Dir)
	if p.opt.DryRun {
		return nil
	}
	if err := workspace.RemoveWorktree(ctx, s.Root, s.Dir); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(p.folders.Lock(s.Dir)))
}

// refuseDirty returns an error if the worktree has work in it that is not committed.
func (p *pruner) refuseDirty(ctx context.Context, s mulligan.Summary) error {
	ws, err := workspace.Open(ctx, workspace.Options{Dir: s.Dir, Snapshots: p.folders.Snapshots(s.Root), Log: func(string) {}})
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

// removeLogs removes the old logs of sessions that ran as processes of their own.
func (p *pruner) removeLogs() error {
	entries, err := os.ReadDir(p.folders.Logs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(p.before) {
			continue
		}
		if err := p.remove(filepath.Join(p.folders.Logs(), entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruner) remove(path string) error {
	p.bytes += measureSize(path)
	if p.opt.DryRun {
		return nil
	}
	return os.RemoveAll(path)
}

func (p *pruner) printTotal() {
	verb := "removed"
	if p.opt.DryRun {
		verb = "would remove"
	}
	if p.bytes == 0 {
		fmt.Fprintf(p.app.Stdout, "nothing to remove: no finished session is older than %s\n", &p.opt.Older)
		return
	}
	fmt.Fprintf(p.app.Stdout, "%s what %s left, %s; what happened in them stays in the journal\n", verb, text.Count(p.count, "session"), formatSize(p.bytes))
}

// measureSize returns the bytes of a file, or of all files in a folder.
func measureSize(path string) (bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone, or not ours to look into: it counts as nothing
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
