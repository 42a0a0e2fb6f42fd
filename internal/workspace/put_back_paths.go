package workspace

import (
	"context"
	"slices"
	"strings"

	"mulligan"
)

// ComparePathsNow returns those of the paths that differ from a snapshot as the files are now, and the snapshot of
// these.
func (w *Workspace) ComparePathsNow(ctx context.Context, with mulligan.Tree, paths []string) (differing []string, now string, err error) {
	w.lock()
	now, err = w.scan.walkAndFlush(ctx)
	w.mu.Unlock()
	if err != nil {
		return nil, "", err
	}
	differing, err = w.DifferingPaths(ctx, with.ID, now, paths)
	return differing, now, err
}

// HasPathsOf reports whether a snapshot has some paths byte for byte as a commit has them. Where a filter rules a
// path, it may report false although a checkout would have the same.
func (w *Workspace) HasPathsOf(ctx context.Context, commit, snapshot string, paths []string) (bool, error) {
	w.lock()
	defer w.mu.Unlock()
	c, err := w.readCommit(ctx, commit)
	if err != nil {
		return false, err
	}
	found, _, err := w.compareWithCommit(ctx, c.tree, snapshot)
	if err != nil {
		return false, err
	}
	differs := slices.ContainsFunc(found, func(d difference) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			return path == d.path || strings.HasPrefix(path, d.path+"/") || strings.HasPrefix(d.path, path+"/")
		})
	})
	return !differs, nil
}

// PutPathsBack makes paths what they are in a snapshot, and changes nothing else. now is the snapshot of the files as
// they are: it is kept under the label and a number, which PutPathsBack returns.
func (w *Workspace) PutPathsBack(ctx context.Context, to mulligan.Tree, now string, paths []string, label string) (kept string, err error) {
	w.lock()
	kept, err = w.nextLabel(label)
	w.mu.Unlock()
	if err != nil {
		return "", err
	}
	mixed, err := w.TakePaths(ctx, now, to.ID, paths)
	if err != nil {
		return "", err
	}
	return kept, w.RestoreFiles(ctx, mulligan.Tree{ID: mixed, Head: to.Head}, kept)
}
