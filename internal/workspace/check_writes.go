package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// UndoWrites puts back the files of a snapshot that a check has changed or deleted, and leaves those that
// it created. It returns the tree that is there then, and the paths that it put back, as Changed lists
// them. If anything differs, a snapshot of all that was there is stored under the label first. HEAD stays;
// with keepCommitted so do the paths that commits since the snapshot have changed.
func (w *Workspace) UndoWrites(ctx context.Context, to mulligan.Tree, keepCommitted bool, label string) (left mulligan.Tree, undone []string, err error) {
	w.lock()
	defer w.mu.Unlock()
	if _, err := parseOID(to.ID); err != nil {
		return left, nil, err
	}
	now, err := w.scan.walkTree(ctx)
	if err != nil {
		return left, nil, fmt.Errorf("cannot look at what the check left: %w", err)
	}
	left = mulligan.Tree{ID: now, Head: to.Head}
	if now == to.ID {
		w.noteWalk(now)
		return left, nil, nil
	}
	if _, err := w.snapshotLocked(ctx, label); err != nil {
		return left, nil, err
	}
	u := undoing{w: w, to: to.ID, changed: make(map[string]changeKind)}
	if keepCommitted {
		if u.committed, err = w.listCommittedSince(ctx, to.Head); err != nil {
			return left, nil, err
		}
	}
	if left.ID, err = u.run(context.WithoutCancel(ctx), now); err != nil {
		return left, nil, fmt.Errorf("cannot put back what the check changed: %w", err)
	}
	if left.ID != now {
		_, err = w.snapshotLocked(ctx, label)
	}
	return left, u.list(), err
}

// An undoing is one run of UndoWrites.
type undoing struct {
	w         *Workspace
	to        string // the tree whose files are put back
	committed map[string]bool
	changed   map[string]changeKind // what the check did to the paths that were put back
}

// run puts files back until a walk finds nothing more to put back, and returns the tree of that walk.
func (u *undoing) run(ctx context.Context, now string) (string, error) {
	for range restoreRounds {
		found, err := u.w.compareSnapshots(ctx, now, u.to)
		if err != nil {
			return now, err
		}
		back := u.choose(found)
		if len(back) == 0 {
			return now, nil
		}
		for _, d := range back {
			if d.to == nil {
				continue
			}
			if u.changed[d.path] = changeModified; d.from == nil {
				u.changed[d.path] = changeDeleted
			}
		}
		if err := u.w.putBack(ctx, back); err != nil {
			return now, err
		}
		if now, err = u.w.scan.walkAndFlush(ctx); err != nil {
			return now, err
		}
	}
	return now, fmt.Errorf("the files do not stay as they are put; end what is still writing in %s", u.w.root.Dir)
}

// choose returns the differences to apply now. Changed .gitignore files come alone and first: under other
// rules files look deleted that are not. What the check created goes only where it is in the way.
func (u *undoing) choose(found []difference) []difference {
	found = slices.DeleteFunc(found, func(d difference) bool { return u.committed[d.path] || u.w.skipMovedModule(d) })
	var back, created []difference
	for _, d := range found {
		if d.to == nil {
			created = append(created, d)
		} else {
			back = append(back, d)
		}
	}
	if len(back) == 0 {
		return nil
	}
	if rules := slices.DeleteFunc(slices.Clone(back), func(d difference) bool { return !d.hasName(ignoreFile) }); len(rules) > 0 {
		back = rules
	}
	for _, d := range created {
		inTheWay := slices.ContainsFunc(back, func(b difference) bool {
			return strings.HasPrefix(b.path, d.path+"/") || strings.HasPrefix(d.path, b.path+"/")
		})
		if inTheWay {
			back = append(back, d)
		}
	}
	slices.SortFunc(back, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return back
}

// list returns the paths that were put back, by what the check did to them.
func (u *undoing) list() []string {
	lines := make([]string, 0, len(u.changed))
	for path, kind := range u.changed {
		letter := "M "
		if kind == changeDeleted {
			letter = "D "
		}
		lines = append(lines, letter+quotePath(path))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return lines
}

// listCommittedSince returns the paths that differ between a commit and HEAD.
func (w *Workspace) listCommittedSince(ctx context.Context, commit string) (map[string]bool, error) {
	_, head, err := w.currentHead(ctx)
	if err != nil || head == commit || commit == "" || head == "" {
		return nil, err
	}
	out, err := w.git.run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", commit, head)
	if err != nil {
		return nil, err
	}
	paths := make(map[string]bool)
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		paths[path] = true
	}
	return paths, nil
}

// RemoveCreated removes the files that the tree left has and the tree from lacks, if they are still as
// left has them. left is stored in a snapshot, so nothing is lost. If a .gitignore is among them, the
// files that it has hidden go too, after a snapshot of them under the label.
func (w *Workspace) RemoveCreated(ctx context.Context, from, left mulligan.Tree, label string) error {
	w.lock()
	defer w.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	now, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return fmt.Errorf("cannot remove what the checks created: %w", err)
	}
	if err := w.removeCreatedLocked(ctx, from, left, now, label); err != nil {
		return fmt.Errorf("cannot remove what the checks created: %w", err)
	}
	return nil
}

// removeCreatedLocked is RemoveCreated after its walk, which found the tree now. It must be called with
// w.mu held.
func (w *Workspace) removeCreatedLocked(ctx context.Context, from, left mulligan.Tree, now, label string) error {
	gone, err := w.listCreated(ctx, from.ID, left.ID, now)
	if err != nil || len(gone) == 0 {
		return err
	}
	if err := w.applyDifferences(ctx, gone); err != nil {
		return err
	}
	if !slices.ContainsFunc(gone, func(d difference) bool { return d.hasName(ignoreFile) }) {
		return nil
	}
	was := now
	kept, err := w.snapshotLocked(ctx, label)
	if err != nil {
		return err
	}
	freed, err := w.listCreated(ctx, was, kept.ID, kept.ID)
	if err != nil {
		return err
	}
	return w.applyDifferences(ctx, freed)
}

// listCreated returns, as differences to apply, the removal of the files that left has and from lacks,
// where they are the same in now.
func (w *Workspace) listCreated(ctx context.Context, from, left, now string) ([]difference, error) {
	created, err := w.compareSnapshots(ctx, from, left)
	if err != nil {
		return nil, err
	}
	since, err := w.compareSnapshots(ctx, left, now)
	if err != nil {
		return nil, err
	}
	changed := make(map[string]bool, len(since))
	for _, d := range since {
		changed[d.path] = true
	}
	var gone []difference
	for _, d := range created {
		if d.from == nil && d.to.mode != modeModule && !changed[d.path] {
			gone = append(gone, difference{path: d.path, from: d.to})
		}
	}
	return gone, nil
}

// RestoreCreated writes the files that the tree left has and the tree from lacks, where nothing is in
// their place.
func (w *Workspace) RestoreCreated(ctx context.Context, from, left mulligan.Tree) error {
	w.lock()
	defer w.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	now, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return fmt.Errorf("cannot bring back what the checks created: %w", err)
	}
	missing, err := w.compareSnapshots(ctx, now, left.ID)
	if err != nil {
		return err
	}
	created, err := w.compareSnapshots(ctx, from.ID, left.ID)
	if err != nil {
		return err
	}
	added := make(map[string]bool, len(created))
	for _, d := range created {
		added[d.path] = d.from == nil
	}
	missing = slices.DeleteFunc(missing, func(d difference) bool { return d.from != nil || d.to == nil || !added[d.path] || w.exists(d.path) })
	return w.applyDifferences(ctx, missing)
}

// exists reports whether there is anything at a path of the checkout.
func (w *Workspace) exists(path string) bool {
	_, err := lstat(w.root.Dir + "/" + path)
	return err == nil
}

// Contains reports whether a commit is in the history of another, or is that itself.
func (w *Workspace) Contains(ctx context.Context, head, commit string) (bool, error) {
	if head == commit {
		return true, nil
	}
	_, err := w.git.run(ctx, "merge-base", "--is-ancestor", commit, head)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}
