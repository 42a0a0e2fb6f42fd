package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
)

// findOlderCommit returns the commit of HEAD if it was there before a killed session began, and the snapshot now has
// the paths exactly as that commit has them; else "", also where an error keeps it from telling. No turn of a session
// that the journal has can have written such a version. An agent that checks an older commit out cannot be told from a
// person who does.
func findOlderCommit(ctx context.Context, ws *workspace.Workspace, state *mulligan.State, store *jetstream.Store, now string, paths []string) string {
	_, head, err := ws.Head(ctx)
	if err != nil {
		return ""
	}
	if same, err := ws.HasPathsOf(ctx, head, now, paths); err != nil || !same {
		return ""
	}
	older, err := ws.PredatesKilled(ctx, head, state.Place.Base, func() ([]string, error) { return listChangedRefs(ctx, store, state.Place.Root) })
	if err != nil || !older {
		return ""
	}
	return head
}

// listChangedRefs returns the names of the refs that were made, moved or put back while sessions of the repository in
// root ran.
func listChangedRefs(ctx context.Context, store *jetstream.Store, root string) (names []string, err error) {
	all, err := store.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Root != root {
			continue
		}
		for e, err := range store.Read(ctx, s.ID, 1) {
			if err != nil {
				return nil, err
			}
			if b, ok := e.Body.(mulligan.GitRestored); ok {
				for _, c := range b.Changes {
					names = append(names, c.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// keepsOlderConfig reports whether the checkout is as the session gave it back, on a commit that is older than the
// session and has another config. The session was resumed there after a kill and left that config to the person, so it
// is no correction: the session goes by its own, and a run by the other one is refused.
func (e *reentry) keepsOlderConfig(ctx context.Context) (bool, error) {
	standing, place, left := e.state.Outcome.Standing, e.state.Place, e.state.Outcome.Left.ID
	if place.Worktree || e.head != standing.Head || e.branch != standing.Branch || !e.ws.HasSnapshot(ctx, standing.Tree) || !e.ws.HasSnapshot(ctx, left) {
		return false, nil
	}
	paths, err := e.ws.DifferingPaths(ctx, left, standing.Tree, e.state.Plan.Files)
	if err != nil || len(paths) == 0 {
		return false, err
	}
	if younger, err := e.ws.Contains(ctx, e.head, place.Base); err != nil || younger {
		return false, err
	}
	words := fmt.Sprintf("%s on %s is older than session %s, which goes by its own", joinPaths(paths), describeBranch(e.branch), e.state.ID)
	if e.how.Plan != nil {
		if changes, err := describePlanChanges(e.state.Plan, e.how.Plan); err != nil || len(changes) > 0 {
			return true, cmp.Or(err, usererror.Usage(words, fmt.Sprintf("check out a branch that has commit %.7s, with which the session began; --restart begins a new session by this config", place.Base)))
		}
	}
	e.notes = append(e.notes, words)
	return true, nil
}
