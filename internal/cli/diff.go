package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/changes"
	"mulligan/internal/environ"
	"mulligan/state"
	"mulligan/view"
)

func newDiff(a *App) *cobra.Command {
	var stat bool
	cmd := &cobra.Command{
		Use:   "diff [SESSION] [ATTEMPT]",
		Short: "Show what a session changed, or one of its attempts",
		Long: `Diff prints, as git does, what the session has not committed: what its end left, or so far its last
turn. Where all is committed it is what the whole session changed. With ATTEMPT it is what the turn of
that attempt changed: a number counts over the session, and STEP:2 is the second attempt at a step.

It changes nothing, and runs no program that is set up for diffs. ` + sessionWords,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, attempt, err := splitDiffArgs(args)
			if err != nil {
				return err
			}
			return a.diff(cmd.Context(), session, attempt, stat)
		},
	}
	cmd.Flags().BoolVar(&stat, "stat", false, "list the files only, with how much each changed")
	return cmd
}

// attemptNumber matches the number of an attempt, and no beginning of a session's id that is a whole date.
var attemptNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{1,7}$`) })

// splitDiffArgs tells a session from an attempt if only one is given.
func splitDiffArgs(args []string) (session string, attempt changes.Attempt, err error) {
	given := ""
	switch {
	case len(args) == 2:
		session, given = args[0], args[1]
	case len(args) == 1 && (attemptNumber().MatchString(args[0]) || strings.Contains(args[0], ":")):
		given = args[0]
	default:
		return firstArg(args), attempt, nil
	}
	attempt, err = changes.Parse(given)
	return session, attempt, err
}

// diff prints what a session changed, or the turn of one attempt if that is named.
func (a *App) diff(ctx context.Context, given string, attempt changes.Attempt, stat bool) error {
	s, state, err := a.readState(ctx, given)
	if err != nil {
		return err
	}
	store, err := a.OpenStore(s.Root)
	if err != nil {
		return err
	}
	patch, err := changes.Find(ctx, store, s, state, attempt, stat)
	if err != nil {
		return err
	}
	a.printNotice(patch.What)
	a.printPatch(patch.Text)
	return nil
}

// readState returns a session and its state as the journal has it.
func (a *App) readState(ctx context.Context, given string) (mulligan.Summary, *state.State, error) {
	store, s, err := a.client().Open(ctx, given, nil)
	if err != nil {
		return s, nil, err
	}
	defer store.Close()
	model := view.NewModel()
	err = showEach(store.Read(ctx, s.ID, 1), model.Apply)
	return s, model.State(), err
}

// printPatch prints a patch: as it is into a file or a pipe, and on a terminal without what would move its
// cursor, in colours if it takes them.
func (a *App) printPatch(patch []byte) {
	if !environ.IsTerminal(a.Screen) {
		_, _ = a.Stdout.Write(patch)
		return
	}
	visible := strings.NewReplacer("\r", "^M", "\b", "^H") // which would write over the line
	for line := range strings.Lines(string(patch)) {
		line = view.Text(visible.Replace(strings.TrimRight(line, "\r\n")))
		if code := patchColor(line); code != "" && a.Color() {
			line = "\x1b[" + code + "m" + line + "\x1b[m"
		}
		fmt.Fprintln(a.Stdout, line)
	}
}

// patchColor returns git's colour for a line of a patch, "" for none.
func patchColor(line string) string {
	for _, c := range []struct{ prefix, code string }{
		{"diff --git ", "1"}, {"index ", "1"}, {"--- ", "1"}, {"+++ ", "1"}, {"@@", "36"}, {"+", "32"}, {"-", "31"},
	} {
		if strings.HasPrefix(line, c.prefix) {
			return c.code
		}
	}
	return ""
}
