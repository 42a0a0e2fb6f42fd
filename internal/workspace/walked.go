package workspace

import (
	"context"
	"time"
)

// How long what a walk has seen may serve, from its end, if nothing has run since and this program has written nothing.
const (
	// walkServesLook is for a look. What a person writes in that time is seen by the next one.
	walkServesLook = time.Second
	// walkServesSnapshot is for a snapshot. What a person, or a process that nobody waits for, writes in that time counts as the
	// following turn's. So does what they write from any snapshot to the turn's end: no walk can tell it from the agent's work,
	// and whatever is put back is kept.
	walkServesSnapshot = 50 * time.Millisecond
)

// A walked is the last walk after which nothing has run and nothing was written; no tree if there is none.
type walked struct {
	tree string
	head string    // the commit of HEAD then; "" if that is not known
	at   time.Time // when it ended
}

// lock locks the workspace for what may change it, or is called before something that may. What only reads it locks mu
// itself, so that the last walk still serves.
func (w *Workspace) lock() {
	w.mu.Lock()
	w.walked = walked{}
}

// ForgetWalk has the next Snapshot and the next Unheld walk: something has run, or the session has waited.
func (w *Workspace) ForgetWalk() {
	w.lock()
	w.mu.Unlock()
}

// noteWalk notes the tree that a walk has just found. It must be called with w.mu held.
func (w *Workspace) noteWalk(tree string) {
	w.walked = walked{tree: tree, at: time.Now()}
	if w.root.hasReftable() {
		return // a git process would cost more than the walk that it saves
	}
	if _, head, err := readHead(w.root.git, w.root.common); err == nil {
		w.walked.head = head
	}
}

// walkAgain returns the tree of the workspace, and walks only if the last walk does not serve. The caller must flush the
// store. It must be called with w.mu held.
func (w *Workspace) walkAgain(ctx context.Context, maxAge time.Duration) (string, error) {
	if ctx.Err() == nil && w.walkServes(maxAge) {
		return w.walked.tree, nil
	}
	w.walked = walked{}
	tree, err := w.scan.walkTree(ctx)
	if err == nil {
		w.noteWalk(tree)
	}
	return tree, err
}

// walkServes reports whether there is a last walk that is young enough, and all that it has seen and stored is still there.
func (w *Workspace) walkServes(maxAge time.Duration) bool {
	return w.walked.tree != "" && time.Since(w.walked.at) <= maxAge && w.scan.lost == w.store.lost.Load() && w.scan.checkPresent() == nil
}

// walkForSnapshot is walkAgain for a snapshot. A tree and a commit that were not there together are no snapshot: after HEAD
// has moved it walks.
func (w *Workspace) walkForSnapshot(ctx context.Context) (string, error) {
	if w.walked.head == "" {
		w.walked = walked{}
	} else if _, head, err := w.currentHead(ctx); err != nil || head != w.walked.head {
		w.walked = walked{}
	}
	return w.walkAgain(ctx, walkServesSnapshot)
}
