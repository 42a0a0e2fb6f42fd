package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// checkOutTarget makes index and files those of a commit. found has what differs from the commit to the files; what the
// commit lacks may stay. attributes tells whether git may convert some of them.
func (w *Workspace) checkOutTarget(ctx context.Context, found []difference, target string, attributes bool) error {
	if !attributes && w.canWriteFiles(found) && w.writeTargetFiles(ctx, found) == nil && w.writePlainIndex(ctx, target) {
		return nil
	}
	return w.readTreeWithFiles(ctx, target)
}

// canWriteFiles reports whether the files of a commit can be written without git: the commit's are files and links, and
// nothing else is in their places.
func (w *Workspace) canWriteFiles(found []difference) bool {
	if w.idLen != sha1Hex || !w.writesPlainFiles() || w.convertsFiles() || !hasPlainIndex(w.git.folder.Frozen().Config) {
		return false
	}
	for _, d := range found {
		if d.from == nil {
			continue
		}
		if d.folder || d.from.mode == modeModule || d.kind() == changeType || !isPlainName(d.path) {
			return false
		}
		if _, err := lstat(w.fullPath(d.path)); d.to == nil && !isGone(err) {
			return false
		}
	}
	return true
}

// writeTargetFiles writes the files that the commit has otherwise. If it fails, git writes them all again.
func (w *Workspace) writeTargetFiles(ctx context.Context, found []difference) (err error) {
	root, err := os.OpenRoot(w.root.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	w.passPoint("files")
	p := &checkoutWriter{root: root, blobs: w.objects, log: w.log}
	for _, d := range found {
		if d.from == nil {
			continue
		}
		if err := p.writePath(ctx, difference{path: d.path, from: d.to, to: d.from}); err != nil {
			return err
		}
	}
	return nil
}

// readTreeWithFiles makes index and files those of a commit, whatever the index had. It waits for another
// git that has the index locked.
func (w *Workspace) readTreeWithFiles(ctx context.Context, commit string) (err error) {
	for range indexTries {
		if _, err = w.git.run(ctx, "read-tree", "--reset", "-u", commit); err == nil {
			return nil
		}
		if _, missing := os.Lstat(filepath.Join(w.root.git, "index.lock")); missing != nil && !w.dropDamagedIndex(ctx) {
			return err
		}
		time.Sleep(indexPause) // no interruption ends a return
	}
	return err
}

// removeUntracked removes the files that a commit does not have. Snapshots have them.
func (w *Workspace) removeUntracked(found []difference) (err error) {
	root, err := os.OpenRoot(w.root.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	p := &checkoutWriter{root: root, log: w.log}
	for _, d := range slices.Backward(found) {
		if d.from == nil && d.to.mode != modeModule {
			if err := p.removeFile(d.path); err != nil {
				return err
			}
		}
	}
	return nil
}
