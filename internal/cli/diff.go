package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/view"
)

func newDiff(a *App) *cobra.Command {
	var stat bool
	cmd := &cobra.Command{
		Use:   "diff [SESSION] [ATTEMPT]",
		Short: "Show what a session changed, or one of its attempts",
		Long: `Diff prints, as git does, what the session has not committed: what its end left, or so far its last
turn. Where all is committed it is what the whole session changed. With ATTEMPT it is what the turn of
that attempt changed: a number counts over the session, as ` + "`mulligan restore`" + ` lists them, and STEP:2
is the second attempt at a step.

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

// An attemptName is what a person calls an attempt: its number over the session, or a step and the number of
// the attempt at it. The zero value is none.
type attemptName struct {
	step   string
	number int
}

// splitDiffArgs tells a session from an attempt if only one is given.
func splitDiffArgs(args []string) (session string, attempt attemptName, err error) {
	given := ""
	switch {
	case len(args) == 2:
		session, given = args[0], args[1]
	case len(args) == 1 && (attemptNumber().MatchString(args[0]) || strings.Contains(args[0], ":")):
		given = args[0]
	default:
		return firstArg(args), attempt, nil
	}
	number := given
	if at := strings.LastIndexByte(given, ':'); at >= 0 {
		attempt.step, number = given[:at], given[at+1:]
	}
	if attempt.number, err = strconv.Atoi(number); err != nil || attempt.number < 1 {
		return "", attempt, usererror.Usage(fmt.Sprintf("%q is not the number of an attempt", given), "attempts are 1, 2 …, counted over the session, or STEP:1, STEP:2 … of one step")
	}
	return session, attempt, nil
}

// diff prints what a session changed, or the turn of one attempt if that is named.
func (a *App) diff(ctx context.Context, given string, attempt attemptName, stat bool) error {
	s, state, err := a.readState(ctx, given)
	if err != nil {
		return err
	}
	where, err := a.Folders()
	if err != nil {
		return err
	}
	d := sessionDiff{Differ: workspace.NewDiffer(s.Root, where.Snapshots(s.Root)), session: s, state: state, stat: stat}
	defer d.Close()
	if d.thinned, err = workspace.ReadThinned(where.Snapshots(s.Root), s.ID); err != nil {
		return err
	}
	if d.list, err = d.Snapshots(ctx, s.ID); err != nil {
		return err
	}
	var patch changes
	if attempt.number > 0 {
		patch, err = d.ofNamed(ctx, attempt)
	} else {
		patch, err = d.ofSession(ctx)
	}
	if gone, ok := errors.AsType[*workspace.GoneError](err); ok {
		return usererror.Usage(fmt.Sprintf("session %s cannot be compared: %v", s.ID, gone), "`mulligan prune` removes snapshots of old sessions, and git commits that are on no branch; `mulligan restore` lists what is there")
	}
	if err != nil {
		return err
	}
	a.printNotice(patch.what)
	a.printPatch(patch.text)
	return nil
}

// readState returns a session and its state as the journal has it.
func (a *App) readState(ctx context.Context, given string) (mulligan.Summary, *mulligan.State, error) {
	store, s, err := a.client().Open(ctx, given, nil)
	if err != nil {
		return s, nil, err
	}
	defer store.Close()
	model := view.NewModel()
	err = showEach(store.Read(ctx, s.ID, 1), model.Apply)
	return s, model.State(), err
}

// changes are a difference, and the words for what it is.
type changes struct {
	what string
	text []byte
}

// A sessionDiff finds the trees and commits of a session that are to be compared.
type sessionDiff struct {
	*workspace.Differ
	session mulligan.Summary
	state   *mulligan.State
	list    []workspace.Snapshot
	thinned workspace.Thinned
	stat    bool
}

// findTree returns the tree of a snapshot of the session's, or the zero tree if there is none.
func (d *sessionDiff) findTree(name string) mulligan.Tree {
	i := slices.IndexFunc(d.list, func(s workspace.Snapshot) bool { return s.Label == d.session.ID+"/"+name })
	if i < 0 {
		return mulligan.Tree{}
	}
	return d.list[i].Tree
}

// ofNamed returns what the turn of an attempt changed, by the attempt's name.
func (d *sessionDiff) ofNamed(ctx context.Context, name attemptName) (changes, error) {
	if name.step == "" {
		return d.ofAttempt(ctx, name.number)
	}
	var steps []string
	for i, step := range d.state.Plan.Steps {
		steps = append(steps, step.Name)
		if step.Name != name.step || i >= len(d.state.Steps) {
			continue
		}
		attempts := d.state.Steps[i].Attempts
		for _, a := range slices.Backward(attempts) {
			if a.Number == name.number {
				return d.ofAttempt(ctx, a.Iteration)
			}
		}
		return changes{}, usererror.Usage(fmt.Sprintf("step %s of session %s has no attempt %d: it has had %d", name.step, d.session.ID, name.number, len(attempts)), "")
	}
	return changes{}, usererror.Usage(fmt.Sprintf("session %s has no step %q", d.session.ID, name.step), "its steps: "+strings.Join(steps, ", "))
}

// ofAttempt returns what the turn of an attempt changed.
func (d *sessionDiff) ofAttempt(ctx context.Context, n int) (changes, error) {
	before, after := d.findTree(strconv.Itoa(n)), d.findTree(strconv.Itoa(n)+"-after")
	if after.ID == "" {
		after = d.findTree(strconv.Itoa(n) + "-failed") // the agent failed in it
	}
	switch {
	case n > d.state.Iteration:
		return changes{}, usererror.Usage(fmt.Sprintf("session %s has no attempt %d: it has had %d", d.session.ID, n, d.state.Iteration), "")
	case after.ID == "" && n == d.state.Iteration && d.state.InFlight != nil:
		return changes{}, usererror.Usage(fmt.Sprintf("the turn of attempt %d has not ended", n),
			fmt.Sprintf("`git -C %s diff` shows the files as they are now", usererror.QuotePath(d.session.Dir)))
	case before.ID == "" && slices.Contains(d.thinned.Names, strconv.Itoa(n)):
		return changes{}, usererror.Usage(fmt.Sprintf("the snapshots of attempt %d of session %s were thinned out on %s: %s",
			n, d.session.ID, formatDay(d.thinned), thinnedRule), thinnedHint(d.session))
	case before.ID == "" || after.ID == "":
		return changes{}, usererror.Usage(fmt.Sprintf("session %s has no snapshots of attempt %d", d.session.ID, n),
			"its turn did not come to an end, or `mulligan prune` has removed them; `mulligan restore` lists what is there")
	}
	return d.compare(ctx, fmt.Sprintf("what the turn of attempt %d of session %s changed", n, d.session.ID), before.ID, after.ID)
}

// ofSession returns what the session has not committed, or else all that it changed.
func (d *sessionDiff) ofSession(ctx context.Context) (changes, error) {
	patch, err := d.ofUncommitted(ctx)
	if err != nil || len(patch.text) > 0 {
		return patch, err
	}
	what := fmt.Sprintf("what session %s changed, all of it committed", d.session.ID)
	to, err := d.Tip(ctx, d.session.Branch)
	if err != nil {
		return changes{}, err
	}
	if d.session.Branch == "" || to == "" {
		to = d.state.Head
	}
	return d.compare(ctx, what, d.state.Place.Base, to)
}

// ofUncommitted returns what the session has not committed. Its text is empty if there is no such work.
func (d *sessionDiff) ofUncommitted(ctx context.Context) (changes, error) {
	left, committed := d.findTree(mulligan.LeftLabel), d.state.CommittedTree.ID
	if left.ID == "" || d.state.Outcome == nil { // it runs, or was killed: what its last turn left
		left = d.state.Tree
	} else if d.Comparable(ctx, left.Head, left.ID) {
		committed = left.Head
	}
	if left.ID == "" || committed == "" || left.ID == committed {
		return changes{}, nil
	}
	what := fmt.Sprintf("what session %s has not committed", d.session.ID)
	if d.session.Branch != "" {
		what += " on " + d.session.Branch
	}
	return d.compare(ctx, what, committed, left.ID)
}

// compare returns the difference between two trees or commits.
func (d *sessionDiff) compare(ctx context.Context, what, from, to string) (changes, error) {
	text, err := d.Diff(ctx, from, to, d.stat)
	if len(text) == 0 {
		what += ": nothing"
	}
	return changes{what: what, text: text}, err
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
