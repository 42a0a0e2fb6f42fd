package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// Walk walks the tree and returns it. No label keeps it.
func (w *Workspace) Walk(ctx context.Context) (mulligan.Tree, error) {
	w.lock()
	defer w.mu.Unlock()
	id, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return mulligan.Tree{}, fmt.Errorf("cannot look at the workspace: %w", err)
	}
	_, head, err := w.currentHead(ctx)
	return mulligan.Tree{ID: id, Head: head}, err
}

// Changes returns all paths that differ between two snapshots, sorted.
func (w *Workspace) Changes(ctx context.Context, from, to mulligan.Tree) ([]mulligan.Change, error) {
	if from.ID == to.ID {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := w.compareSnapshots(ctx, from.ID, to.ID)
	if err != nil {
		return nil, err
	}
	changes := make([]mulligan.Change, 0, len(found))
	for _, d := range found {
		if d.to == nil && w.isOnlyHidden(ctx, d) {
			continue
		}
		changes = append(changes, mulligan.Change{Path: d.path, Kind: d.changeKind()})
	}
	return changes, nil
}

// isOnlyHidden reports whether a path that a walk no longer finds is as it was, and only ignored by a new rule.
func (w *Workspace) isOnlyHidden(ctx context.Context, d difference) bool {
	if n := w.scan.root.findNode(d.path); n == nil || n.kind != ignored {
		return false
	}
	same, err := w.holdsEntry(ctx, d.path, *d.from)
	return same && err == nil
}

// changeKind returns what was done to the path.
func (d difference) changeKind() mulligan.ChangeKind {
	switch d.kind() {
	case changeAdded:
		if d.folder && d.to.mode == modeLink {
			return mulligan.BecameLink
		}
		if d.folder {
			return mulligan.BecameOther
		}
		return mulligan.Created
	case changeDeleted:
		return mulligan.Deleted
	case changeType:
		if d.to.mode == modeLink {
			return mulligan.BecameLink
		}
		return mulligan.BecameOther
	case changeMode:
		if d.to.mode == modeExec {
			return mulligan.MadeExecutable
		}
		return mulligan.MadePlain
	case changeModified:
	}
	return mulligan.Edited
}

// PutBack makes the given paths what the snapshot has them to be: those that it lacks are removed, and
// whatever has taken the place of a file or of a folder above it gives way. It returns the tree that is
// there then. If anything differs, a snapshot of all that was there is stored under the label first. HEAD
// stays, and so do all other paths.
func (w *Workspace) PutBack(ctx context.Context, to mulligan.Tree, paths []string, label string) (mulligan.Tree, error) {
	w.lock()
	defer w.mu.Unlock()
	if _, err := parseOID(to.ID); err != nil {
		return mulligan.Tree{}, err
	}
	was, err := w.snapshotLocked(ctx, label)
	if err != nil {
		return was, err
	}
	chosen := make(map[string]bool, len(paths))
	for _, p := range paths {
		chosen[p] = true
	}
	now := was
	if now.ID, err = w.putBackChosen(context.WithoutCancel(ctx), was.ID, to.ID, chosen); err != nil {
		return was, fmt.Errorf("cannot put files back: %w", err)
	}
	return now, w.store.flush()
}

// putBackChosen puts the chosen paths back until a walk finds none that still differs and can be put back,
// and returns the tree of that walk. It must be called with w.mu held.
func (w *Workspace) putBackChosen(ctx context.Context, now, to string, chosen map[string]bool) (string, error) {
	for range restoreRounds {
		found, err := w.compareSnapshots(ctx, now, to)
		if err != nil {
			return now, err
		}
		back := w.chooseBack(found, chosen)
		if len(back) == 0 {
			return now, nil
		}
		if err := w.putBack(ctx, back); err != nil {
			return now, err
		}
		if now, err = w.scan.walkAndFlush(ctx); err != nil {
			return now, err
		}
	}
	return now, fmt.Errorf("the files do not stay as they are put; end what is still writing in %s", w.root.Dir)
}

// chooseBack returns the differences to apply now: those of chosen paths, and what is in their way. Changed
// .gitignore files come alone and first: under other rules files look deleted that are not.
func (w *Workspace) chooseBack(found []difference, chosen map[string]bool) []difference {
	var back []difference
	for _, d := range found {
		if chosen[d.path] && !w.skipMovedModule(d) && !w.skipNewModule(d) {
			back = append(back, d)
		}
	}
	if rules := slices.DeleteFunc(slices.Clone(back), func(d difference) bool { return !d.hasName(ignoreFile) }); len(rules) > 0 {
		back = rules
	}
	written, above := make(map[string]bool), make(map[string]bool)
	for _, d := range back {
		if d.to == nil {
			continue
		}
		written[d.path] = true
		for _, dir := range parentFolders(d.path) {
			above[dir] = true
		}
	}
	emptied := make(map[string]bool) // what took the place of a folder goes, and the folder comes back whole
	for _, d := range back {
		if d.to == nil && d.folder {
			emptied[d.path] = true
		}
	}
	for _, d := range found {
		if d.from == nil && !chosen[d.path] && isBelow(d.path, emptied) {
			back = append(back, d)
		}
		if d.to == nil && !chosen[d.path] && (above[d.path] || isBelow(d.path, written)) {
			back = append(back, d)
		}
	}
	slices.SortFunc(back, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return back
}

// isBelow reports whether a folder above the path is one of the given paths.
func isBelow(path string, given map[string]bool) bool {
	return slices.ContainsFunc(parentFolders(path), func(dir string) bool { return given[dir] })
}
