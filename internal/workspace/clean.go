package workspace

import (
	"context"
	"path"
	"path/filepath"
)

// maxWalkedFirst is how many files the index has at most for a walk to tell that nothing is uncommitted: in a large
// checkout git tells sooner what is.
const maxWalkedFirst = 5000

// isPlainlyClean reports whether git would surely find nothing uncommitted, which the first walk of a session tells too:
// HEAD, the index and the files have the same tree, and there is nothing that snapshots leave out. If it returns false,
// git has to be asked.
func (w *Workspace) isPlainlyClean(ctx context.Context) bool {
	w.lock()
	defer w.mu.Unlock()
	frozen := w.git.folder.Frozen()
	if !w.session || w.idLen != sha1Hex || w.convertsFiles() || !hasPlainIndex(frozen.Config) || len(w.scan.rules.hidden) > 0 {
		return false
	}
	_, head, err := w.currentHead(ctx)
	if err != nil || !isObjectID(head) {
		return false
	}
	c, err := w.readCommit(ctx, head)
	if err != nil || !w.hasIndexOf(c.tree) {
		return false
	}
	tree, err := w.scan.walkAndFlush(ctx)
	return err == nil && tree == c.tree && !w.scan.root.leavesOut()
}

// hasIndexOf reports whether the index is known to be that of a tree, with no more in it than files that have not been
// touched since.
func (w *Workspace) hasIndexOf(tree string) bool {
	x, err := readIndexFile(filepath.Join(w.root.git, "index"), w.idLen/2)
	if err != nil || x.tree == nil || x.tree.id != tree || x.tree.count != len(x.lines) || len(x.lines) > maxWalkedFirst {
		return false
	}
	for _, l := range x.lines {
		if l.flags&^flagLength != 0 || l.mode() == modeModule || path.Base(l.path) == attributesFile {
			return false
		}
		if _, now, err := lstatForIndex(w.fullPath(l.path), l.mode()); err != nil || now != l.stat {
			return false
		}
	}
	return true
}

// leavesOut reports whether something in the folder is not in snapshots although git does not ignore it.
func (f *folder) leavesOut() bool {
	if len(f.refused) > 0 || f.unheld != "" {
		return true
	}
	for _, n := range f.nodes {
		if n.kind == odd || n.kind == unknown || n.kind == module || n.sub != nil && n.kind == nested && n.sub.leavesOut() {
			return true
		}
	}
	return false
}
