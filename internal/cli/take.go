package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/changes"
	"mulligan/internal/usererror"
	"mulligan/state"
	"mulligan/workspace"
)

func newTake(a *App) *cobra.Command {
	var opt takeOptions
	cmd := &cobra.Command{
		Use:   "take [SESSION] [ATTEMPT]",
		Short: "Make a branch of any attempt of a session",
		Long: `Take makes a branch in your repository of what an attempt left, verified or not; without ATTEMPT of
what the session left. It checks nothing out and moves no branch that is there. ATTEMPT is a number, which
counts over the session, or STEP:2 for the second attempt at a step, or a name that --list prints:
"aside-1" is what a killed turn had begun.

Two weeks after a session only what verified, what it left and what killed turns had begun is kept.

` + sessionWords,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, attempt := splitTakeArgs(args)
			return a.take(cmd.Context(), session, attempt, opt)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opt.Branch, "branch", "b", "", "the branch's name (default mulligan/take-SESSION-ATTEMPT)")
	f.BoolVarP(&opt.List, "list", "l", false, "list what is kept of the session")
	return cmd
}

// takeOptions are the flags of `take`.
type takeOptions struct {
	Branch string
	List   bool
}

// splitTakeArgs tells a session from an attempt if only one is given: an attempt is a short number, has a colon, or is
// the name of what is kept.
func splitTakeArgs(args []string) (session, attempt string) {
	switch {
	case len(args) == 2:
		return args[0], args[1]
	case len(args) == 1 && (attemptNumber().MatchString(args[0]) || strings.ContainsRune(args[0], ':') || isKeptName(args[0])):
		return "", args[0]
	}
	return firstArg(args), ""
}

// isKeptName reports whether a word is the name of something that sessions keep, and no session's.
func isKeptName(word string) bool {
	return word == mulligan.LeftLabel || word == workspace.VerifiedLabel || strings.HasPrefix(word, workspace.AsidePrefix)
}

// take makes a branch of what an attempt left, or lists what is kept.
func (a *App) take(ctx context.Context, given, attempt string, opt takeOptions) error {
	s, state, err := a.readState(ctx, given)
	noSession := err
	if attempt == "" && errors.Is(noSession, mulligan.ErrNoSession) { // the word may be the name of what the newest session keeps
		s, state, err = a.readState(ctx, "")
		attempt = given
	}
	if err != nil {
		return cmp.Or(noSession, err)
	}
	store, err := a.OpenStore(s.Root)
	if err != nil {
		return err
	}
	list, err := store.List(ctx, s.ID)
	if err != nil {
		return err
	}
	if noSession != nil && changes.FindKept(list, s.ID, attempt).Commit == "" {
		return noSession
	}
	if opt.List {
		return a.listKept(s, list)
	}
	kept, name, err := chooseKept(list, state, attempt)
	if err != nil {
		return err
	}
	branch := opt.Branch
	if branch == "" {
		branch = "mulligan/take-" + path.Base(strings.ReplaceAll(s.ID, "-", "/")) + "-" + name
	}
	err = store.Take(ctx, s.Root, kept, branch)
	if taken, ok := errors.AsType[*workspace.TakenError](err); ok {
		return usererror.Usage(taken.Error(), "name another with --branch; no branch that is there is moved")
	}
	if err != nil {
		return err
	}
	ref := usererror.QuotePath("refs/heads/" + branch)
	fmt.Fprintf(a.Stdout, "%s is %s of session %s, commit %.10s\n", branch, name, s.ID, kept.Commit)
	fmt.Fprintf(a.Stdout, "  git log -p %.10s..%s\n  git switch %s\n", state.Place.Base, ref, usererror.QuotePath(branch))
	return nil
}

// chooseKept returns what the session keeps of an attempt, and what that is called. Without an attempt it is what the session
// left, or so far its newest attempt.
func chooseKept(list []workspace.Kept, state *state.State, attempt string) (workspace.Kept, string, error) {
	names := []string{attempt}
	switch {
	case attempt == "":
		names = []string{mulligan.LeftLabel}
		for n := state.Iteration; n > 0; n-- {
			names = append(names, changes.AttemptNames(n)...)
		}
		names = append(names, workspace.VerifiedLabel)
	case attemptNumber().MatchString(attempt) || strings.ContainsRune(attempt, ':'):
		named, err := changes.Parse(attempt)
		if err != nil {
			return workspace.Kept{}, "", err
		}
		n, err := named.Iteration(state)
		if err != nil {
			return workspace.Kept{}, "", err
		}
		names = changes.AttemptNames(n)
	}
	for _, name := range names {
		if k := changes.FindKept(list, state.ID, name); k.Commit != "" {
			return k, name, nil
		}
	}
	what := "attempt " + attempt
	if attempt == "" {
		what = "its work"
	}
	return workspace.Kept{}, "", usererror.Usage(fmt.Sprintf("session %s keeps nothing of %s", state.ID, what), "`mulligan take --list` lists what is there; "+changes.ThinnedRule)
}

// listKept lists what is kept of a session.
func (a *App) listKept(s mulligan.Summary, list []workspace.Kept) error {
	list = slices.DeleteFunc(list, func(k workspace.Kept) bool { return k.Commit == "" })
	if len(list) == 0 {
		return usererror.Usage("nothing is kept of session "+s.ID, "`mulligan prune` removes what old sessions keep")
	}
	width := 0
	for _, k := range list {
		width = max(width, len(k.Name()))
	}
	for _, k := range list {
		fmt.Fprintf(a.Stdout, "%-*s  %s  %.10s\n", width, k.Name(), k.Time.Local().Format("2006-01-02 15:04:05"), k.Commit)
	}
	fmt.Fprintln(a.Stdout, "N is what attempt N began with, N-after what its turn left, left what the session's end left,\n"+
		"verified its last verified commit, aside-N what a killed turn had begun")
	return nil
}

// newRestore returns the command that a name of before leads to.
func newRestore(*App) *cobra.Command {
	return &cobra.Command{
		Use: "restore", Hidden: true, DisableFlagParsing: true, Args: cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usererror.Usage("there is no `mulligan restore`: sessions work in a clone of their own, and your files stay as they are",
				"`mulligan take [SESSION] [ATTEMPT]` makes a branch of any attempt; `mulligan take --list` lists them")
		},
	}
}

// printNotice prints what a command has to say besides its output.
func (a *App) printNotice(text string) { fmt.Fprintf(a.Stderr, "mulligan: %s\n", text) }
