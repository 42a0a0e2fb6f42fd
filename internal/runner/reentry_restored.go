package runner

import (
	"context"
	"strings"
)

// findRestored returns the tree that the checkout has if a person has brought it back with `mulligan
// restore` on the session's branch, and it is not what the session left; else "". The session continues
// with it.
func (e *reentry) findRestored(ctx context.Context) (string, error) {
	if e.branch != e.state.Place.Branch {
		return "", nil
	}
	work, err := e.ws.FindPersonWork(ctx)
	if err != nil || len(work.Paths) == 0 || work.Now.ID == e.state.Outcome.Left.ID || work.Now.ID == e.state.Outcome.Standing.Tree {
		return "", err
	}
	all, err := e.ws.Snapshots(ctx, e.state.ID)
	for _, s := range all {
		if name := strings.TrimPrefix(s.Label, e.state.ID+"/"); s.Tree.ID == work.Now.ID && !hasPersonsWork(name) {
			e.say("the files are as snapshot %s, which you brought back: session %s continues with them", name, e.state.ID)
			return s.Tree.ID, nil
		}
	}
	return "", err
}

// hasPersonsWork reports whether a snapshot with that name may have a person's work in it.
func hasPersonsWork(name string) bool {
	return name == "returned" || strings.HasPrefix(name, "before-") || strings.HasPrefix(name, "aside-")
}
