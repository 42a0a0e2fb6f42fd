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
	"time"

	"mulligan"
)

const (
	fallbackName     = "mulligan"
	fallbackEmail    = "mulligan@localhost"
	fallbackIdentity = fallbackName + " <" + fallbackEmail + ">"
	scratchPrefix    = "scratch-"
)

// Commit makes a commit of exactly the snapshot's tree, on top of c.Parent, and moves the branch to it.
// Commits between are folded in, but for c.OnTop. The files stay as they are.
func (w *Workspace) Commit(ctx context.Context, c mulligan.Commit) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, err := w.commitLocked(ctx, c)
	if err != nil {
		return "", fmt.Errorf("cannot commit: %w", err)
	}
	return id, nil
}

// commitLocked is Commit. It must be called with w.mu held.
func (w *Workspace) commitLocked(ctx context.Context, c mulligan.Commit) (string, error) {
	id, err := w.makeCommit(ctx, c)
	if err != nil {
		return "", err
	}
	ref, head, err := w.currentHead(ctx)
	if err != nil {
		return "", err
	}
	target := ref
	if w.branch != "" {
		target = headsPrefix + w.branch
	}
	if target != ref {
		w.log(fmt.Sprintf("HEAD was at %s; the commit goes to %s, and HEAD back to it", describeHead(ref, head), w.branch))
	}
	if c.OnTop {
		if err := w.checkForward(ctx, target, head, id); err != nil {
			return "", err
		}
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	if err := w.moveHead(ctx, target, id, "mulligan: "+subject); err != nil {
		return "", err
	}
	w.forgetMerge()
	if what := w.InProgress(ctx); what != "" {
		w.log(fmt.Sprintf("git is in the middle of %s that was begun meanwhile; `git status` says how to end it", what))
	}
	w.resetIndex(ctx, id)
	return id, nil
}

// checkForward returns an error if moving a ref, or a detached HEAD, to a commit would take commits from it.
func (w *Workspace) checkForward(ctx context.Context, ref, head, to string) error {
	from := head
	if ref != "" {
		var err error
		if from, err = w.branchCommit(ctx, ref); err != nil {
			return err
		}
	}
	if from == "" {
		return nil
	}
	forward, err := w.Contains(ctx, to, from)
	if err == nil && !forward {
		err = fmt.Errorf("%w: %s is at %.10s", mulligan.ErrBranchMoved, describeHead(ref, "HEAD"), from)
	}
	return err
}

// describeHead returns the name of a branch, or its commit if HEAD is detached.
func describeHead(ref, commit string) string {
	if ref == "" {
		return commit
	}
	return strings.TrimPrefix(ref, headsPrefix)
}

// makeCommit returns the commit that c describes, and creates it if there is none. If the tree is the
// parent's, that is the parent.
func (w *Workspace) makeCommit(ctx context.Context, c mulligan.Commit) (string, error) {
	var parentTree string
	if c.Parent != "" {
		parent, err := w.readCommit(ctx, c.Parent)
		if err != nil {
			return "", err
		}
		parentTree = parent.tree
	}
	tree, err := w.makeUserTree(ctx, c, parentTree)
	if err != nil {
		return "", err
	}
	if tree == parentTree && c.Parent != "" {
		return c.Parent, nil
	}
	if c.Sign {
		// A signature has its own time, so the commit made before a crash has another id.
		if id, err := w.findMadeBefore(ctx, c, tree); id != "" || err != nil {
			return id, err
		}
	}
	return w.commitTree(ctx, c, tree)
}

// makeUserTree creates the snapshot's tree in the user's repository: the same files as git would add
// them, through the user's filters.
func (w *Workspace) makeUserTree(ctx context.Context, c mulligan.Commit, parentTree string) (string, error) {
	if _, err := parseOID(c.Tree.ID); err != nil {
		return "", err
	}
	compared := comparison{from: w.objects, to: w.snapshots}
	if w.idLen == 2*sha256.Size {
		compared.same = w.sameContent(ctx)
	}
	found, err := compared.compareTrees(ctx, parentTree, c.Tree.ID)
	if err != nil {
		return "", err
	}
	if found, err = w.dropSparseFiles(ctx, found); err != nil {
		return "", err
	}
	if len(found) == 0 && c.Parent != "" {
		return parentTree, nil
	}
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return "", err
	}
	tree, err := w.writeTree(ctx, scratch, c.Parent, found)
	if err == nil {
		err = w.verifyTree(ctx, parentTree, tree)
	}
	return tree, errors.Join(err, os.RemoveAll(scratch))
}

// verifyTree returns a *ForgedError if the user's repository has something else under the id of an object that
// one tree has and another lacks: git does not write an object again whose name is there already.
func (w *Workspace) verifyTree(ctx context.Context, from, to string) error {
	compared := comparison{from: w.objects, to: w.objects}
	found, err := compared.compareTrees(ctx, from, to)
	if err != nil {
		return err
	}
	for _, d := range found {
		if d.to == nil || d.to.mode == modeModule {
			continue
		}
		if err := w.objects.copyObject(ctx, d.to.id, io.Discard); err != nil {
			return err
		}
	}
	return nil
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

// writeTree writes the differing files into the scratch folder, has git add them from there to an index
// in that folder, and returns the id of the resulting tree. The user's index and files are not touched.
func (w *Workspace) writeTree(ctx context.Context, scratch, parent string, found []difference) (string, error) {
	files := filepath.Join(scratch, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return "", err
	}
	g := w.git.withEnv("GIT_INDEX_FILE="+filepath.Join(scratch, "index"), "GIT_WORK_TREE="+files)
	g.dir = files
	if parent != "" {
		if _, err := g.run(ctx, "read-tree", parent); err != nil {
			return "", err
		}
	}
	lines, paths, err := w.writeScratch(ctx, files, found)
	if err != nil {
		return "", err
	}
	if len(lines) > 0 {
		if _, err := g.runWithInput(ctx, lines, "update-index", "-z", "--index-info"); err != nil {
			return "", err
		}
	}
	if len(paths) > 0 {
		// The scratch folder keeps the executable bits and links that we set, even if the checkout's
		// file system does not.
		_, err := g.runWithInput(ctx, paths, "-c", "core.fileMode=true", "-c", "core.symlinks=true",
			"update-index", "-z", "--add", "--replace", "--stdin")
		if err != nil {
			return "", err
		}
	}
	// The objects are the parent's or were just added: to look for each of them again would take
	// longer than all the rest.
	return g.line(ctx, "write-tree", "--missing-ok")
}

// writeScratch writes the differing files into a folder. It returns the index lines of deletions and
// modules, which must be applied first so that a folder can take a file's place, and the paths of the
// files to add, the attributes first, because they rule how the rest is added.
func (w *Workspace) writeScratch(ctx context.Context, files string, found []difference) (lines, paths []byte, err error) {
	root, err := os.OpenRoot(files)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	out := checkoutWriter{root: root, blobs: w.snapshots}
	var gone, modules, rules, rest bytes.Buffer
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
			rules.WriteString(d.path + "\x00")
		default:
			rest.WriteString(d.path + "\x00")
		}
		if err := root.MkdirAll(path.Dir(d.path), 0o700); err != nil {
			return nil, nil, err
		}
		if err := out.writeEntry(ctx, d.path, *d.to); err != nil {
			return nil, nil, err
		}
	}
	return slices.Concat(gone.Bytes(), modules.Bytes()), slices.Concat(rules.Bytes(), rest.Bytes()), nil
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

// commitTree creates the commit object. Its id depends on c and tree alone, so that the same call creates
// the same commit.
func (w *Workspace) commitTree(ctx context.Context, c mulligan.Commit, tree string) (string, error) {
	when := fmt.Sprintf("%d %s", c.Time.Unix(), c.Time.Format("-0700"))
	g := w.git.withEnv("GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	args := []string{"-c", "user.useConfigOnly=true", "-c", "i18n.commitEncoding=UTF-8", "commit-tree"}
	if c.Sign {
		args = append(args, "-S")
	}
	if c.Parent != "" {
		args = append(args, "-p", c.Parent)
	}
	args = append(args, "-F", "-", tree)
	out, err := g.runWithInput(ctx, []byte(c.Message), args...)
	if err != nil && ctx.Err() == nil {
		missing, refused := w.fillIdentity(ctx)
		if refused != nil {
			return "", refused
		}
		if len(missing) > 0 {
			out, err = g.withEnv(missing...).runWithInput(ctx, []byte(c.Message), args...)
		}
	}
	return strings.TrimSpace(string(out)), err
}

// Carry creates a commit of all uncommitted work that git does not ignore, on top of HEAD. It does not
// move HEAD: Settle does.
func (w *Workspace) Carry(ctx context.Context, message string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, head, err := w.currentHead(ctx)
	if err != nil {
		return "", err
	}
	id, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return "", err
	}
	tree := mulligan.Tree{ID: id, Head: head}
	commit, err := w.makeCommit(ctx, mulligan.Commit{Tree: tree, Parent: head, Message: message, Time: time.Now()})
	if err != nil {
		return "", fmt.Errorf("cannot commit the uncommitted work: %w", err)
	}
	return commit, nil
}
