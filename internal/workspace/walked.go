package workspace

import (
	"context"
	"time"
)

// walkServes is how long what a walk has seen may serve for a second look, if this program does nothing meanwhile that
// could change it. A person who writes a file in that time is seen by the next walk.
const walkServes = time.Second

// A walked is the last walk after which nothing has run and nothing was written; no tree if there is none.
type walked struct {
	tree string
	at   time.Time
}

// lock locks the workspace for what may change it, or is called before something that may. What only reads it locks mu
// itself, so that the last walk still serves.
func (w *Workspace) lock() {
	w.mu.Lock()
	w.walked = walked{}
}

// noteWalk notes the tree that a walk has found. It must be called with w.mu held.
func (w *Workspace) noteWalk(tree string) { w.walked = walked{tree, time.Now()} }

// walkAgain returns the tree of the workspace, with its objects on disk. It walks only if the last walk does not serve.
// It must be called with w.mu held.
func (w *Workspace) walkAgain(ctx context.Context) (string, error) {
	if w.walked.tree == "" || time.Since(w.walked.at) > walkServes {
		return w.scan.walkAndFlush(ctx)
	}
	return w.walked.tree, w.store.flush()
}
