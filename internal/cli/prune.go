package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
	"mulligan/workspace"
)

// pruneOptions are the flags of `prune`.
type pruneOptions struct {
	Older  age
	All    bool
	DryRun bool
	Yes    bool
}

func newPrune(a *App) *cobra.Command {
	opt := pruneOptions{Older: age(90 * 24 * time.Hour)}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Clear away what old sessions left behind",
		Long: `Prune removes what this repository's finished sessions left in the state folder: what their agents
and checks printed, the trees of their attempts, the clones that they worked in, and what killed turns
had begun. What the guard keeps of old conversations with agents that you ran yourself goes too. What
happened in them stays: their events are sealed, a small file each, and ` + "`mulligan log`, `status`\nand `export`" + ` read those as before.

It lists all of that first, work that is not committed by name, and asks. Where there is no
terminal to ask on it removes nothing without --yes. It also offers to delete the sessions'
branches that are merged into one of yours, never another, and never one that is checked out.

A session that ` + "`mulligan resume`" + ` would go on with is never touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.prune(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.Var(&opt.Older, "older", "sessions that ended longer ago than this: 90d, 12w, 36h")
	f.BoolVarP(&opt.All, "all", "a", false, "of every repository")
	f.BoolVarP(&opt.DryRun, "dry-run", "n", false, "only say what would be removed")
	f.BoolVarP(&opt.Yes, "yes", "y", false, "do it without asking, the merged branches too")
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

// prune lists what finished sessions left, removes it with the person's consent, and seals the sessions.
func (a *App) prune(ctx context.Context, opt pruneOptions) error {
	if _, err := a.Root(); err != nil && !opt.All {
		if !errors.Is(err, workspace.ErrNoRepository) {
			return err
		}
		return usererror.Usage("this folder is in no git repository, so it has no session", "`mulligan prune --all` clears those of every repository")
	}
	folders, err := a.Folders()
	if err != nil {
		return err
	}
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return err
	}
	defer store.Close()
	if !opt.DryRun {
		if err := a.sealSessions(ctx, store); err != nil {
			return err
		}
	}
	all, err := store.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return err
	}
	p := &pruner{app: a, opt: opt, folders: folders, before: time.Now().Add(-time.Duration(opt.Older))}
	if err := p.look(ctx, all); err != nil {
		return err
	}
	guards, err := store.Guards(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return err
	}
	p.lookAtGuards(guards)
	p.printList()
	return p.removeAll(ctx)
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
