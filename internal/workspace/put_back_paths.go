package workspace

import (
	"context"

	"mulligan"
)

// PutPathsBack makes those of the paths that differ from a snapshot what they are there, and changes nothing
// else. It keeps the files as they were under the label and a number, and returns the paths and the whole
// label; none if nothing differs.
func (w *Workspace) PutPathsBack(ctx context.Context, to mulligan.Tree, paths []string, label string) (differing []string, kept string, err error) {
	w.lock()
	now, err := w.scan.walkAndFlush(ctx)
	if err == nil {
		kept, err = w.nextLabel(label)
	}
	w.mu.Unlock()
	if err != nil {
		return nil, "", err
	}
	differing, err = w.DifferingPaths(ctx, to.ID, now, paths)
	if err != nil || len(differing) == 0 {
		return nil, "", err
	}
	mixed, err := w.TakePaths(ctx, now, to.ID, differing)
	if err != nil {
		return nil, "", err
	}
	return differing, kept, w.RestoreFiles(ctx, mulligan.Tree{ID: mixed, Head: to.Head}, kept)
}
