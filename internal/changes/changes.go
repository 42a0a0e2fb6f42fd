// Package changes tells what a session or one of its attempts changed: the trees and commits of it that are
// to be compared, and their difference as git prints it. It changes nothing.
package changes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// A Patch is a difference, and the words for what it is.
type Patch struct {
	What string
	Text []byte
}

// An Attempt is what a person calls an attempt: its number over the session, or a step and the number of
// the attempt at it. The zero value is none.
type Attempt struct {
	Step   string
	Number int
}

// Find returns what a session changed, or the turn of one attempt if that is named. With stat it is a list of
// the files. An error that a person can do something about is a *usererror.Error.
func Find(ctx context.Context, where environ.Folders, s mulligan.Summary, state *mulligan.State, attempt Attempt, stat bool) (Patch, error) {
	d := sessionDiff{Differ: workspace.NewDiffer(s.Root, where.Snapshots(s.Root)), session: s, state: state, stat: stat}
	defer d.Close()
	var err error
	if d.thinned, err = workspace.ReadThinned(where.Snapshots(s.Root), s.ID); err != nil {
		return Patch{}, err
	}
	if d.list, err = d.Snapshots(ctx, s.ID); err != nil {
		return Patch{}, err
	}
	var patch Patch
	if attempt.Number > 0 {
		patch, err = d.ofNamed(ctx, attempt)
	} else {
		patch, err = d.ofSession(ctx)
	}
	if gone, ok := errors.AsType[*workspace.GoneError](err); ok {
		return Patch{}, usererror.Usage(fmt.Sprintf("session %s cannot be compared: %v", s.ID, gone), "`mulligan prune` removes snapshots of old sessions, and git commits that are on no branch; `mulligan restore` lists what is there")
	}
	return patch, err
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
func (d *sessionDiff) ofNamed(ctx context.Context, name Attempt) (Patch, error) {
	if name.Step == "" {
		return d.ofAttempt(ctx, name.Number)
	}
	var steps []string
	for i, step := range d.state.Plan.Steps {
		steps = append(steps, step.Name)
		if step.Name != name.Step || i >= len(d.state.Steps) {
			continue
		}
		attempts := d.state.Steps[i].Attempts
		for _, a := range slices.Backward(attempts) {
			if a.Number == name.Number {
				return d.ofAttempt(ctx, a.Iteration)
			}
		}
		return Patch{}, usererror.Usage(fmt.Sprintf("step %s of session %s has no attempt %d: it has had %d", name.Step, d.session.ID, name.Number, len(attempts)), "")
	}
	return Patch{}, usererror.Usage(fmt.Sprintf("session %s has no step %q", d.session.ID, name.Step), "its steps: "+strings.Join(steps, ", "))
}

// ofAttempt returns what the turn of an attempt changed.
func (d *sessionDiff) ofAttempt(ctx context.Context, n int) (Patch, error) {
	before, after := d.findTree(strconv.Itoa(n)), d.findTree(strconv.Itoa(n)+"-after")
	if after.ID == "" {
		after = d.findTree(strconv.Itoa(n) + "-failed") // the agent failed in it
	}
	switch {
	case n > d.state.Iteration:
		return Patch{}, usererror.Usage(fmt.Sprintf("session %s has no attempt %d: it has had %d", d.session.ID, n, d.state.Iteration), "")
	case after.ID == "" && n == d.state.Iteration && d.state.InFlight != nil:
		return Patch{}, usererror.Usage(fmt.Sprintf("the turn of attempt %d has not ended", n),
			fmt.Sprintf("`git -C %s diff` shows the files as they are now", usererror.QuotePath(d.session.Dir)))
	case before.ID == "" && slices.Contains(d.thinned.Names, strconv.Itoa(n)):
		return Patch{}, usererror.Usage(fmt.Sprintf("the snapshots of attempt %d of session %s were thinned out on %s: %s",
			n, d.session.ID, FormatDay(d.thinned), ThinnedRule), ThinnedHint(d.session))
	case before.ID == "" || after.ID == "":
		return Patch{}, usererror.Usage(fmt.Sprintf("session %s has no snapshots of attempt %d", d.session.ID, n),
			"its turn did not come to an end, or `mulligan prune` has removed them; `mulligan restore` lists what is there")
	}
	return d.compare(ctx, fmt.Sprintf("what the turn of attempt %d of session %s changed", n, d.session.ID), before.ID, after.ID)
}

// ofSession returns what the session has not committed, or else all that it changed.
func (d *sessionDiff) ofSession(ctx context.Context) (Patch, error) {
	patch, err := d.ofUncommitted(ctx)
	if err != nil || len(patch.Text) > 0 {
		return patch, err
	}
	what := fmt.Sprintf("what session %s changed, all of it committed", d.session.ID)
	to, err := d.Tip(ctx, d.session.Branch)
	if err != nil {
		return Patch{}, err
	}
	if d.session.Branch == "" || to == "" {
		to = d.state.Head
	}
	return d.compare(ctx, what, d.state.Place.Base, to)
}

// ofUncommitted returns what the session has not committed. Its text is empty if there is no such work.
func (d *sessionDiff) ofUncommitted(ctx context.Context) (Patch, error) {
	left, committed := d.findTree(mulligan.LeftLabel), d.state.CommittedTree.ID
	if left.ID == "" || d.state.Outcome == nil { // it runs, or was killed: what its last turn left
		left = d.state.Tree
	} else if d.Comparable(ctx, left.Head, left.ID) {
		committed = left.Head
	}
	if left.ID == "" || committed == "" || left.ID == committed {
		return Patch{}, nil
	}
	what := fmt.Sprintf("what session %s has not committed", d.session.ID)
	if d.session.Branch != "" {
		what += " on " + d.session.Branch
	}
	return d.compare(ctx, what, committed, left.ID)
}

// compare returns the difference between two trees or commits.
func (d *sessionDiff) compare(ctx context.Context, what, from, to string) (Patch, error) {
	text, err := d.Diff(ctx, from, to, d.stat)
	if len(text) == 0 {
		what += ": nothing"
	}
	return Patch{What: what, Text: text}, err
}

// ThinnedRule is what is kept of a session's snapshots.
const ThinnedRule = "two weeks after a session only what it left and what was put aside is kept"

// ThinnedHint returns what a person can look at instead of a snapshot that was thinned out.
func ThinnedHint(s mulligan.Summary) string {
	if s.Branch == "" {
		return fmt.Sprintf("`mulligan restore %s` lists what is kept", s.ID)
	}
	return fmt.Sprintf("what it committed is on the branch %s; `mulligan restore %s` lists what is kept", s.Branch, s.ID)
}

// FormatDay returns the day on which snapshots were thinned out.
func FormatDay(t workspace.Thinned) string { return t.Time.Local().Format("2006-01-02") }
