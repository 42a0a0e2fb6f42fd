package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Merge is a three-way merge of snapshots, file by file.
type Merge struct {
	Base, Ours, Theirs string // ids of trees
	// PreferTheirs takes their version of a file where both sides changed the same lines. Otherwise
	// such a file is a conflict.
	PreferTheirs bool
}

// MergeTrees returns the merged tree, and the paths in conflict: files that both sides changed and that
// cannot be merged, as a binary file. With PreferTheirs these have their version.
func (w *Workspace) MergeTrees(ctx context.Context, m Merge) (tree string, conflicts []string, err error) {
	w.lock()
	defer w.mu.Unlock()
	theirs, err := w.compareSnapshots(ctx, m.Base, m.Theirs)
	if err != nil {
		return "", nil, err
	}
	ours, err := w.compareSnapshots(ctx, m.Base, m.Ours)
	if err != nil {
		return "", nil, err
	}
	changed := make(map[string]difference, len(ours))
	for _, d := range ours {
		changed[d.path] = d
	}
	edits := make(map[string]*entry)
	for _, their := range theirs {
		our, both := changed[their.path]
		merged, ok := their.to, true
		if both {
			merged, ok, err = w.mergeFile(ctx, our, their)
		} else {
			ok, err = w.fitsIn(ctx, m.Ours, their)
		}
		if err != nil {
			return "", nil, err
		}
		if !ok {
			conflicts = append(conflicts, their.path)
			merged = their.to
		}
		if ok || m.PreferTheirs {
			edits[their.path] = merged
		}
	}
	if tree, err = w.editTree(ctx, m.Ours, edits); err == nil {
		err = w.store.flush()
	}
	return tree, conflicts, err
}

// fitsIn reports whether a path that one side has changed has the same kind of place in the other's tree:
// a folder has not become a file there, nor a file a folder.
func (w *Workspace) fitsIn(ctx context.Context, tree string, d difference) (bool, error) {
	if d.to == nil {
		return true, nil
	}
	for _, folder := range append(parentFolders(d.path), d.path) {
		e, err := w.findEntry(ctx, tree, folder)
		if err != nil {
			return false, err
		}
		if e != nil && (e.mode == modeFolder) == (folder == d.path) {
			return false, nil
		}
	}
	return true, nil
}

// mergeFile merges what two sides made of a path. ok is false if they are in conflict.
func (w *Workspace) mergeFile(ctx context.Context, our, their difference) (merged *entry, ok bool, err error) {
	a, b := our.to, their.to
	switch {
	case a == nil && b == nil:
		return nil, true, nil
	case a == nil || b == nil:
		return nil, false, nil
	case a.mode == b.mode && a.id == b.id:
		return b, true, nil
	case our.from == nil || !isFile(a.mode) || !isFile(b.mode) || !isFile(our.from.mode):
		return nil, false, nil
	}
	mode := b.mode
	if b.mode == our.from.mode {
		mode = a.mode
	}
	id, ok, err := w.mergeBlobs(ctx, a.id, our.from.id, b.id)
	return &entry{mode: mode, id: id}, ok, err
}

func isFile(mode uint32) bool { return mode == modeFile || mode == modeExec }

// mergeBlobs merges the contents of a file with git's own merge. ok is false if lines are in conflict, and
// for binary files.
func (w *Workspace) mergeBlobs(ctx context.Context, ours, base, theirs string) (id string, ok bool, err error) {
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return "", false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	var names []string
	for i, blob := range []string{ours, base, theirs} {
		name := filepath.Join(scratch, fmt.Sprint(i))
		if err := w.writeBlobFile(ctx, blob, name); err != nil {
			return "", false, err
		}
		names = append(names, name)
	}
	out, err := w.snapshots.git.run(ctx, append([]string{"merge-file", "-p", "-q"}, names...)...)
	if exitCode(err) > 0 {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	stored, err := w.store.putObject("blob", out)
	return stored.String(), true, err
}

// writeBlobFile writes a blob of the snapshot repository to a new file.
func (w *Workspace) writeBlobFile(ctx context.Context, id, name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(w.snapshots.copyObject(ctx, id, f), f.Close())
}

// ImportCommit returns a commit of the user's repository as a snapshot: its files as a checkout would have
// them. like is a snapshot that has most of them.
func (w *Workspace) ImportCommit(ctx context.Context, commit, like string) (string, error) {
	w.lock()
	defer w.mu.Unlock()
	c, err := w.readCommit(ctx, commit)
	if err != nil {
		return "", err
	}
	found, _, err := w.compareWithCommit(ctx, c.tree, like)
	if err != nil || len(found) == 0 {
		return like, err
	}
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	edits, err := w.importFiles(ctx, scratch, commit, found)
	if err != nil {
		return "", err
	}
	tree, err := w.editTree(ctx, like, edits)
	if err == nil {
		err = w.store.flush()
	}
	return tree, err
}

// importFiles has git check files of a commit out into a scratch folder, through the user's filters, and
// stores them.
func (w *Workspace) importFiles(ctx context.Context, scratch, commit string, found []difference) (map[string]*entry, error) {
	files := filepath.Join(scratch, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return nil, err
	}
	edits := make(map[string]*entry, len(found))
	var paths strings.Builder
	for _, d := range found {
		switch {
		case d.from == nil:
			edits[d.path] = nil
		case d.from.mode == modeModule:
			edits[d.path] = &entry{mode: modeModule, id: shortLink(d.from.id)}
		default:
			edits[d.path] = &entry{mode: d.from.mode}
			paths.WriteString(d.path + "\x00")
		}
	}
	g := w.git.withEnv("GIT_INDEX_FILE="+filepath.Join(scratch, "index"), "GIT_WORK_TREE="+files)
	g.dir = files
	if _, err := g.run(ctx, "read-tree", commit); err != nil {
		return nil, err
	}
	if _, err := g.runWithInput(ctx, []byte(paths.String()), "-c", "core.symlinks=true", "checkout-index", "-z", "--stdin"); err != nil {
		return nil, err
	}
	for path, e := range edits {
		if e != nil && e.id == "" {
			id, err := w.storeScratchFile(filepath.Join(files, filepath.FromSlash(path)), e.mode)
			if err != nil {
				return nil, err
			}
			e.id = id
		}
	}
	return edits, nil
}

// storeScratchFile stores a file or a link of a scratch folder as a blob.
func (w *Workspace) storeScratchFile(path string, mode uint32) (string, error) {
	var (
		data []byte
		err  error
	)
	if mode == modeLink {
		var target string
		target, err = os.Readlink(path)
		data = []byte(target)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return "", err
	}
	id, err := w.store.putObject("blob", data)
	return id.String(), err
}
