package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
)

// PersonWork is what a person has in the checkout and has not committed.
type PersonWork struct {
	Now   mulligan.Tree // the files as they are
	Paths []string      // that are not committed, and are not as the session left them
	Lines []string      // the same, as git status has them: "M path"
}

// FindPersonWork returns the uncommitted work in the checkout that is not in one of the snapshots: where
// a file is still as a session left it, that is not the person's doing.
func (w *Workspace) FindPersonWork(ctx context.Context, left ...string) (PersonWork, error) {
	w.lock()
	defer w.mu.Unlock()
	if err := w.lookForOddRulesLocked(ctx); err != nil {
		return PersonWork{}, err
	}
	lines, err := w.listStatus(ctx, "all")
	if err != nil {
		return PersonWork{}, err
	}
	hidden, err := w.listHiddenLocked(ctx)
	if err != nil {
		return PersonWork{}, err
	}
	lines = append(lines, hidden...)
	id, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return PersonWork{}, err
	}
	_, head, err := w.currentHead(ctx)
	work := PersonWork{Now: mulligan.Tree{ID: id, Head: head}}
	if err != nil || len(lines) == 0 {
		return work, err
	}
	ours := make(map[string]int)
	for _, tree := range left {
		found, err := w.compareSnapshots(ctx, tree, id)
		if err != nil {
			return PersonWork{}, err
		}
		for _, d := range found {
			ours[d.path]++
		}
	}
	for _, line := range lines {
		// A nested repository, which status lists with a slash, is in no snapshot.
		if path := line[2:]; len(left) == 0 || ours[path] == len(left) || strings.HasSuffix(path, "/") {
			work.Paths, work.Lines = append(work.Paths, path), append(work.Lines, line)
		}
	}
	return work, nil
}

// listStatus lists what git status finds, as "M path" lines. untracked is git's word for how to list
// untracked files.
func (w *Workspace) listStatus(ctx context.Context, untracked string) ([]string, error) {
	out, err := w.git.run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files="+untracked, "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	var lines []string
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if len(item) > 3 {
			lines = append(lines, strings.TrimSpace(item[:2])[:1]+item[2:])
		}
	}
	return lines, nil
}

// TakePaths returns a snapshot in which some paths are as in another one.
func (w *Workspace) TakePaths(ctx context.Context, tree, from string, paths []string) (string, error) {
	w.lock()
	defer w.mu.Unlock()
	edits := make(map[string]*entry, len(paths))
	for _, path := range paths {
		e, err := w.findEntry(ctx, from, path)
		if err != nil {
			return "", err
		}
		if e != nil && e.mode == modeFolder {
			return "", fmt.Errorf("%s is a folder in one tree and a file in another", path)
		}
		edits[path] = e
	}
	id, err := w.editTree(ctx, tree, edits)
	if err == nil {
		err = w.store.flush()
	}
	return id, err
}

// TakeFiles returns a snapshot in which some paths are as in a folder. A path that the folder has not, or
// not as a file, stays as it is.
func (w *Workspace) TakeFiles(ctx context.Context, tree, dir string, paths []string) (string, error) {
	w.lock()
	defer w.mu.Unlock()
	edits := make(map[string]*entry)
	for _, path := range paths {
		full := filepath.Join(dir, filepath.FromSlash(path))
		st, err := lstat(full)
		if err != nil || !st.isRegular() {
			continue
		}
		e := &entry{mode: modeFile}
		if info, err := os.Stat(full); err == nil && info.Mode()&0o100 != 0 {
			e.mode = modeExec
		}
		if e.id, err = w.storeScratchFile(full, e.mode); err != nil {
			return "", err
		}
		edits[path] = e
	}
	id, err := w.editTree(ctx, tree, edits)
	if err == nil {
		err = w.store.flush()
	}
	return id, err
}

// DifferingPaths returns those of the paths that two snapshots have different versions of.
func (w *Workspace) DifferingPaths(ctx context.Context, a, b string, paths []string) ([]string, error) {
	w.lock()
	defer w.mu.Unlock()
	var found []string
	for _, path := range paths {
		in, err := w.findEntry(ctx, a, path)
		if err != nil {
			return nil, err
		}
		other, err := w.findEntry(ctx, b, path)
		if err != nil {
			return nil, err
		}
		if (in == nil) != (other == nil) || in != nil && (in.id != other.id || in.mode != other.mode) {
			found = append(found, path)
		}
	}
	return found, nil
}

// MakeCommit creates a commit of a snapshot on top of a parent. It moves no ref.
func (w *Workspace) MakeCommit(ctx context.Context, tree, parent, message string) (string, error) {
	w.lock()
	defer w.mu.Unlock()
	return w.makeCommit(ctx, mulligan.Commit{Tree: mulligan.Tree{ID: tree, Head: parent}, Parent: parent, Message: message, Time: time.Now()})
}

// BranchCommit returns the commit of a branch, or "" if there is no such branch.
func (w *Workspace) BranchCommit(ctx context.Context, branch string) (string, error) {
	return w.branchCommit(ctx, headsPrefix+branch)
}

// KeepCommit keeps a commit that is put aside under a ref of the session, and returns the ref.
func (w *Workspace) KeepCommit(ctx context.Context, session, commit string) (string, error) {
	for n := 1; ; n++ {
		ref := fmt.Sprintf("%s/%s/%d", asideRefs, session, n)
		had, err := w.branchCommit(ctx, ref)
		switch {
		case err != nil:
			return "", err
		case had == commit:
			return ref, nil
		case had != "":
			continue
		}
		_, err = w.refs.run(ctx, "update-ref", "--no-deref", "-m", "mulligan: put aside", ref, commit, strings.Repeat("0", len(commit)))
		return ref, err
	}
}

// PutAside keeps the files as a snapshot under the label and a number if they differ from a tree in paths
// that they have, and returns a note that names them and the command that brings them back, or "".
func (w *Workspace) PutAside(ctx context.Context, to mulligan.Tree, label string) (note string, err error) {
	w.lock()
	defer w.mu.Unlock()
	now, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return "", err
	}
	paths, err := w.listDiffering(ctx, to.ID, now)
	if err != nil || len(paths) == 0 {
		return "", err
	}
	if label, err = w.nextLabel(label); err != nil {
		return "", err
	}
	_, err = w.snapshotLocked(ctx, label)
	return describeAside(paths, label), err
}

// PutTreeAside keeps a tree of the branch under the label, with a number, if it is not the tree to. It
// returns a note for the person, "" if there is nothing to keep.
func (w *Workspace) PutTreeAside(ctx context.Context, tree mulligan.Tree, branch string, to mulligan.Tree, label string) (note string, err error) {
	w.lock()
	defer w.mu.Unlock()
	paths, err := w.listDiffering(ctx, to.ID, tree.ID)
	if err != nil || len(paths) == 0 {
		return "", err
	}
	if label, err = w.nextLabel(label); err != nil {
		return "", err
	}
	err = w.labelSnapshot(Snapshot{Label: label, Tree: tree, Branch: branch, Time: time.Now()})
	return describeAside(paths, label), err
}

// listDiffering returns the paths of snapshot b that are otherwise in a, for a person.
func (w *Workspace) listDiffering(ctx context.Context, a, b string) (paths []string, err error) {
	found, err := w.compareSnapshots(ctx, a, b)
	for _, d := range found {
		if d.to != nil {
			paths = append(paths, quotePath(d.path))
		}
	}
	return paths, err
}

// Enter puts HEAD on a branch and the branch on the tree's commit, and makes the files those of the tree.
// It keeps what was there under the label. A branch that is not the session's own never moves backwards.
func (w *Workspace) Enter(ctx context.Context, branch string, to mulligan.Tree, label string) error {
	w.lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if to.ID == "" || to.Head == "" {
		return errors.New("there is nothing to enter")
	}
	w.branch, w.quiet = branch, true
	defer func() { w.quiet = false }()
	return w.restoreLocked(context.WithoutCancel(ctx), to, label)
}

// Hide has files count as ignored by git: an earlier session left them, and only its branch ignores them.
func (w *Workspace) Hide(paths []string) {
	if len(paths) == 0 {
		return
	}
	w.lock()
	defer w.mu.Unlock()
	w.scan.rules.hidden = make(map[string]bool, len(paths))
	for _, path := range paths {
		w.scan.rules.hidden[path] = true
	}
	w.scan.rules.changed = true
}

// SetOwn tells whether the branch is the session's own. One that is not is never moved backwards.
func (w *Workspace) SetOwn(own bool) {
	w.lock()
	defer w.mu.Unlock()
	w.foreign = !own
}

// HasSnapshot reports whether the snapshot repository has a tree.
func (w *Workspace) HasSnapshot(ctx context.Context, tree string) bool {
	w.lock()
	defer w.mu.Unlock()
	_, err := w.snapshots.readObject(ctx, tree)
	return err == nil
}

// IsSessionCommit reports whether a commit is one that mulligan made for a session.
func (w *Workspace) IsSessionCommit(ctx context.Context, commit, session string) (bool, error) {
	w.lock()
	defer w.mu.Unlock()
	c, err := w.readCommit(ctx, commit)
	return strings.Contains(c.message, "\nMulligan-Session: "+session+"\n"), err
}
