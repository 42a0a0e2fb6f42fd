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
	"mulligan/internal/usererror"
	"mulligan/state"
	"mulligan/workspace"
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

// Parse returns the attempt that a person's word names: "3", or "implement:2".
func Parse(given string) (a Attempt, err error) {
	number := given
	if at := strings.LastIndexByte(given, ':'); at >= 0 {
		a.Step, number = given[:at], given[at+1:]
	}
	if a.Number, err = strconv.Atoi(number); err != nil || a.Number < 1 {
		return a, usererror.Usage(fmt.Sprintf("%q is not the number of an attempt", given), "attempts are 1, 2 …, counted over the session, or STEP:1, STEP:2 … of one step")
	}
	return a, nil
}

// Iteration returns the number over the session of the attempt that a person names.
func (a Attempt) Iteration(state *state.State) (int, error) {
	if a.Step == "" {
		return a.Number, nil
	}
	var steps []string
	for i, step := range state.Plan.Steps {
		steps = append(steps, step.Name)
		if step.Name != a.Step || i >= len(state.Steps) {
			continue
		}
		attempts := state.Steps[i].Attempts
		for _, had := range slices.Backward(attempts) {
			if had.Number == a.Number {
				return had.Iteration, nil
			}
		}
		return 0, usererror.Usage(fmt.Sprintf("step %s of session %s has no attempt %d: it has had %d", step.Name, state.ID, a.Number, len(attempts)), "")
	}
	return 0, usererror.Usage(fmt.Sprintf("session %s has no step %q", state.ID, a.Step), "its steps: "+strings.Join(steps, ", "))
}

// Find returns what a session changed, or the turn of one attempt if that is named. With stat it is a list of
// the files. An error that a person can do something about is a *usererror.Error.
func Find(ctx context.Context, store *workspace.Store, s mulligan.Summary, state *state.State, attempt Attempt, stat bool) (Patch, error) {
	d := sessionDiff{store: store, session: s, state: state, stat: stat}
	var err error
	if d.list, err = store.List(ctx, s.ID); err != nil {
		return Patch{}, err
	}
	var patch Patch
	if attempt.Number > 0 {
		patch, err = d.ofAttempt(ctx, attempt)
	} else {
		patch, err = d.ofSession(ctx)
	}
	if gone, ok := errors.AsType[*workspace.GoneError](err); ok {
		return Patch{}, usererror.Usage(fmt.Sprintf("session %s cannot be compared: %v", s.ID, gone), "`mulligan prune` removes what old sessions keep; `mulligan take --list` lists what is there")
	}
	return patch, err
}

// A sessionDiff finds the trees and commits of a session that are to be compared.
type sessionDiff struct {
	store   *workspace.Store
	session mulligan.Summary
	state   *state.State
	list    []workspace.Kept
	stat    bool
}

// findTree returns what the session keeps under a name, or the zero value if there is none.
func (d *sessionDiff) findTree(name string) workspace.Kept {
	return FindKept(d.list, d.session.ID, name)
}

// FindKept returns what a session keeps under a name, or the zero value if there is none.
func FindKept(list []workspace.Kept, session, name string) workspace.Kept {
	i := slices.IndexFunc(list, func(k workspace.Kept) bool { return k.Label == session+"/"+name })
	if i < 0 {
		return workspace.Kept{}
	}
	return list[i]
}

// AttemptNames are the names under which what an attempt left is kept, the best first: what its turn left, or its agent's
// failure.
func AttemptNames(iteration int) []string {
	n := strconv.Itoa(iteration)
	return []string{n + "-after", n + "-failed"}
}

// ofAttempt returns what the turn of an attempt changed.
func (d *sessionDiff) ofAttempt(ctx context.Context, name Attempt) (Patch, error) {
	n, err := name.Iteration(d.state)
	if err != nil {
		return Patch{}, err
	}
	before, after := d.findTree(strconv.Itoa(n)), workspace.Kept{}
	for _, name := range AttemptNames(n) {
		if after.Tree == "" {
			after = d.findTree(name)
		}
	}
	switch {
	case n > d.state.Iteration:
		return Patch{}, usererror.Usage(fmt.Sprintf("session %s has no attempt %d: it has had %d", d.session.ID, n, d.state.Iteration), "")
	case after.Tree == "" && n == d.state.Iteration && d.state.InFlight != nil:
		return Patch{}, usererror.Usage(fmt.Sprintf("the turn of attempt %d has not ended", n),
			fmt.Sprintf("`git -C %s diff` shows the files as they are now", usererror.QuotePath(d.session.Dir)))
	case before.Tree == "" || after.Tree == "":
		return Patch{}, usererror.Usage(fmt.Sprintf("what attempt %d of session %s changed is not kept", n, d.session.ID),
			"its turn did not come to an end, or it was pruned or thinned out: "+ThinnedRule+"; `mulligan take --list` lists what is there")
	}
	return d.compare(ctx, fmt.Sprintf("what the turn of attempt %d of session %s changed", n, d.session.ID), before.Tree, after.Tree)
}

// ofSession returns what the session has not committed, or else all that it changed.
func (d *sessionDiff) ofSession(ctx context.Context) (Patch, error) {
	patch, err := d.ofUncommitted(ctx)
	if err != nil || len(patch.Text) > 0 {
		return patch, err
	}
	return d.compare(ctx, fmt.Sprintf("what session %s changed, all of it committed", d.session.ID), d.state.Place.Base, d.state.Head)
}

// ofUncommitted returns what the session has not committed. Its text is empty if there is no such work.
func (d *sessionDiff) ofUncommitted(ctx context.Context) (Patch, error) {
	left, committed := d.findTree(mulligan.LeftLabel).Tree, d.state.CommittedTree.ID
	if left == "" || d.state.Outcome == nil { // it runs, or was killed: what its last turn left
		left = d.state.Tree.ID
	}
	if left == "" || committed == "" || left == committed {
		return Patch{}, nil
	}
	what := fmt.Sprintf("what session %s has not committed", d.session.ID)
	if d.session.Branch != "" {
		what += " on " + d.session.Branch
	}
	return d.compare(ctx, what, committed, left)
}

// compare returns the difference between two trees or commits.
func (d *sessionDiff) compare(ctx context.Context, what, from, to string) (Patch, error) {
	text, err := d.store.Patch(ctx, from, to, d.stat)
	if len(text) == 0 {
		what += ": nothing"
	}
	return Patch{What: what, Text: text}, err
}

// ThinnedRule is what is kept of a session's trees.
const ThinnedRule = "two weeks after a session only what verified, what it left and what killed turns had begun is kept"
