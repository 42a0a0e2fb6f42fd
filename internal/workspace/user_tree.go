package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
)

// TryCommit makes the tree of a commit in the user's repository, and no commit. The error is a *mulligan.RefusedError
// if git does not add all of the snapshot, or a clone would not have it as it is because of attributes that are newer than
// the base commit.
func (w *Workspace) TryCommit(ctx context.Context, tree mulligan.Tree, parent, base string) ([]mulligan.GitChange, error) {
	w.lock()
	defer w.mu.Unlock()
	var parentTree string
	if parent != "" {
		commit, err := w.readCommit(ctx, parent)
		if err != nil {
			return nil, err
		}
		parentTree = commit.tree
	}
	made, dropped, err := w.makeUserTree(ctx, tree.ID, parent, parentTree)
	if err == nil {
		err = w.checkRoundTrip(ctx, tree.ID, made, base)
	}
	return dropped, err
}

// A madeTree is the last tree that was made in the user's repository, of which snapshot and on top of which commit.
type madeTree struct{ snapshot, parent, tree string }

// maxDamaged bounds how many objects of one commit are put aside because they are damaged.
const maxDamaged = 1000

// makeUserTree creates the snapshot's tree in the user's repository: the same files as git would add them, through
// the user's filters. What is in the way among the repository's objects is put aside, and returned.
func (w *Workspace) makeUserTree(ctx context.Context, snapshot, parent, parentTree string) (tree string, dropped []mulligan.GitChange, err error) {
	if m := w.made; m.tree != "" && m.snapshot == snapshot && m.parent == parent {
		if _, err := w.verifyTree(ctx, parentTree, m.tree); err == nil {
			return m.tree, nil, nil
		}
	}
	found, attributes, err := w.compareToUser(ctx, parentTree, snapshot)
	if err != nil {
		return "", nil, err
	}
	if len(found) == 0 && parent != "" {
		return parentTree, nil, nil
	}
	for range maxDamaged {
		if tree, err = w.writeUserTree(ctx, parent, parentTree, found, attributes); err == nil {
			w.made = madeTree{snapshot, parent, tree}
			return tree, dropped, nil
		}
		more, failed := w.dropDamaged(err)
		dropped = append(dropped, more...)
		if failed != nil || len(more) == 0 {
			return "", dropped, errors.Join(asRefused(err), failed)
		}
	}
	return "", dropped, err
}

// compareToUser returns what differs between a tree of the user's repository and a snapshot, and whether one of these has
// attributes that may rule it.
func (w *Workspace) compareToUser(ctx context.Context, parentTree, snapshot string) (found []difference, attributes bool, err error) {
	if _, err := parseOID(snapshot); err != nil {
		return nil, false, err
	}
	compared := comparison{from: w.objects, to: w.snapshots}
	if w.idLen == 2*sha256.Size {
		compared.same = w.sameContent(ctx)
	}
	if found, err = compared.compareTrees(ctx, parentTree, snapshot); err != nil {
		return nil, false, err
	}
	found, err = w.dropSparseFiles(ctx, found)
	return found, compared.attributes, err
}

// writeUserTree writes the tree, by way of a scratch folder unless the files are plain ones, and sees that it has all that
// differs.
func (w *Workspace) writeUserTree(ctx context.Context, parent, parentTree string, found []difference, attributes bool) (tree string, err error) {
	if !attributes {
		if tree, ok, err := w.writePlainTree(ctx, parentTree, found); ok || err != nil {
			return tree, err
		}
	}
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	files := filepath.Join(scratch, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return "", err
	}
	g := w.git.withEnv("GIT_INDEX_FILE="+filepath.Join(scratch, "index"), "GIT_WORK_TREE="+files)
	g.dir = files
	if tree, err = w.writeTree(ctx, g, parent, found); err != nil {
		return "", err
	}
	written, err := w.verifyTree(ctx, parentTree, tree)
	if err != nil {
		return "", err
	}
	return tree, w.checkNames(ctx, g, found, written)
}

// verifyTree returns what differs between two trees of the user's repository. The error is a *damagedError if the
// repository has something else under the id of an object that the second has and the first lacks: git does not write an
// object again whose name is there already.
func (w *Workspace) verifyTree(ctx context.Context, from, to string) ([]difference, error) {
	compared := comparison{from: w.objects, to: w.objects}
	found, err := compared.compareTrees(ctx, from, to)
	if err != nil {
		return nil, asDamaged(".", err)
	}
	for _, d := range found {
		if d.to == nil || d.to.mode == modeModule {
			continue
		}
		if err := w.objects.copyObject(ctx, d.to.id, io.Discard); err != nil {
			return nil, asDamaged(d.path, err)
		}
	}
	return found, nil
}

// sameContent returns a function that compares a file of a SHA-256 repository with one of a snapshot.
func (w *Workspace) sameContent(ctx context.Context) func(from, to entry) (bool, error) {
	return func(from, to entry) (bool, error) {
		if from.mode == modeModule {
			return shortLink(from.id) == to.id, nil
		}
		o, err := w.snapshots.open(ctx, to.id)
		if err != nil {
			return false, err
		}
		h := sha256.New()
		h.Write(objectHeader(o.kind, o.size))
		if err := w.snapshots.copyBody(o, h); err != nil {
			return false, err
		}
		return hex.EncodeToString(h.Sum(nil)) == from.id, nil
	}
}

// dropSparseFiles removes differences of files that a sparse checkout leaves out: they are not deleted.
func (w *Workspace) dropSparseFiles(ctx context.Context, found []difference) ([]difference, error) {
	if err := w.scan.rules.refresh(ctx); err != nil {
		return nil, err
	}
	if !w.scan.rules.sparse {
		return found, nil
	}
	return slices.DeleteFunc(found, func(d difference) bool {
		return d.to == nil && w.scan.rules.files[d.path].hidden
	}), nil
}

// writeTree writes the differing files into the work tree of g, which is a scratch folder, has git add them from there
// to an index beside it, and returns the id of the resulting tree. The user's index and files are not touched.
func (w *Workspace) writeTree(ctx context.Context, g git, parent string, found []difference) (string, error) {
	if parent != "" {
		if _, err := g.run(ctx, "read-tree", parent); err != nil {
			return "", err
		}
	}
	lines, paths, err := w.writeScratch(ctx, g.dir, found)
	if err != nil {
		return "", err
	}
	if len(lines) > 0 {
		if _, err := g.runWithInput(ctx, lines, "update-index", "-z", "--index-info"); err != nil {
			return "", err
		}
	}
	if len(paths) > 0 {
		if _, err := addPaths(ctx, g, paths); err != nil {
			return "", w.explainRefusal(ctx, g, paths, err)
		}
	}
	// The objects are the parent's or were just added: to look for each of them again would take
	// longer than all the rest.
	return g.line(ctx, "write-tree", "--missing-ok")
}

// addPaths has git add paths of its work tree to its index, and returns what it prints. The scratch folder keeps the
// executable bits and links that we set, even if the checkout's file system does not.
func addPaths(ctx context.Context, g git, paths []string, options ...string) ([]byte, error) {
	args := append([]string{"-c", "core.fileMode=true", "-c", "core.symlinks=true", "update-index", "-z", "--add", "--replace"}, options...)
	return g.runWithInput(ctx, []byte(strings.Join(paths, "\x00")+"\x00"), append(args, "--stdin")...)
}

// writeScratch writes the differing files into a folder. It returns the index lines of deletions and
// modules, which must be applied first so that a folder can take a file's place, and the paths of the
// files to add, the attributes first, because they rule how the rest is added.
func (w *Workspace) writeScratch(ctx context.Context, files string, found []difference) (lines []byte, paths []string, err error) {
	root, err := os.OpenRoot(files)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	out := checkoutWriter{root: root, blobs: w.snapshots}
	var gone, modules bytes.Buffer
	var rules, rest []string
	for _, d := range found {
		switch {
		case d.to == nil:
			fmt.Fprintf(&gone, "0 %s\t%s\x00", strings.Repeat("0", w.idLen), d.path)
			continue
		case d.to.mode == modeModule:
			id, err := w.moduleCommit(d)
			if err != nil {
				return nil, nil, err
			}
			fmt.Fprintf(&modules, "%o %s\t%s\x00", modeModule, id, d.path)
			continue
		case d.hasName(".gitattributes"):
			rules = append(rules, d.path)
		default:
			rest = append(rest, d.path)
		}
		if err := root.MkdirAll(path.Dir(d.path), 0o700); err != nil {
			return nil, nil, err
		}
		if err := out.writeEntry(ctx, d.path, *d.to); err != nil {
			return nil, nil, err
		}
	}
	return slices.Concat(gone.Bytes(), modules.Bytes()), slices.Concat(rules, rest), nil
}

// moduleCommit returns the full id of the commit that a module was at.
func (w *Workspace) moduleCommit(d difference) (string, error) {
	if index := w.scan.rules.files[d.path].id; shortLink(index) == d.to.id {
		return index, nil
	}
	if commit := readModuleHead(w.root.Dir, d.path); shortLink(commit) == d.to.id {
		return commit, nil
	}
	if w.idLen == len(d.to.id) {
		return d.to.id, nil
	}
	return "", fmt.Errorf("the module %s has been moved since its snapshot, so its commit %s… is not known", d.path, d.to.id)
}
