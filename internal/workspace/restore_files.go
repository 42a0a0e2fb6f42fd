package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// A HiddenError means that RestoreFiles would overwrite files that no snapshot keeps, because git
// ignores them. Nothing was changed.
type HiddenError struct {
	Paths []string // relative to the workspace, sorted
}

func (e *HiddenError) Error() string {
	return fmt.Sprintf("%s that git ignores would be overwritten, and no snapshot keeps what git ignores: %s",
		text.Count(len(e.Paths), "file"), joinPaths(e.Paths))
}

// joinPaths returns the first few paths on one line, and how many more there are.
func joinPaths(paths []string) string {
	const shown = 3
	var quoted []string
	for _, p := range paths[:min(shown, len(paths))] {
		quoted = append(quoted, quotePath(p))
	}
	line := strings.Join(quoted, ", ")
	if more := len(paths) - shown; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

// RestoreFiles makes the files equal to a snapshot, and changes nothing else: HEAD, the refs and the index
// stay, so that what is staged stays staged, and a merge in progress stays in progress. It takes a snapshot
// of the present files under the label first. Files that git ignores, by the rules of now or by those of
// the snapshot, stay as they are. A *HiddenError means that one of them is in the way.
func (w *Workspace) RestoreFiles(ctx context.Context, to mulligan.Tree, label string) error {
	w.lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// Once begun it is completed, as Restore is.
	if err := w.restoreFilesLocked(context.WithoutCancel(ctx), to, label); err != nil {
		return fmt.Errorf("cannot restore the files: %w", err)
	}
	return nil
}

// restoreFilesLocked is RestoreFiles. It must be called with w.mu held.
func (w *Workspace) restoreFilesLocked(ctx context.Context, to mulligan.Tree, label string) error {
	was, err := w.snapshotLocked(ctx, label)
	if err != nil {
		return err
	}
	found, err := w.compareSnapshots(ctx, was.ID, to.ID)
	if err != nil {
		return err
	}
	hidden, err := w.findHidden(ctx, was, found)
	if err != nil {
		return err
	}
	if len(hidden) > 0 {
		return &HiddenError{Paths: hidden}
	}
	// The rules come first, as in Restore: what the snapshot's rules ignore is not deleted.
	rules := slices.DeleteFunc(slices.Clone(found), func(d difference) bool { return !d.hasName(ignoreFile) })
	if err := w.applyDifferences(ctx, rules); err != nil {
		return err
	}
	return w.settleFiles(ctx, was, to)
}

// settleFiles compares and writes until no file differs from the tree to that may be changed.
func (w *Workspace) settleFiles(ctx context.Context, was, to mulligan.Tree) error {
	seen, err := w.listTree(ctx, was.ID)
	if err != nil {
		return err
	}
	unseen := map[string]bool{} // written, and not seen by a walk: files that git ignores here, modules that it does not track
	for range restoreRounds {
		now, err := w.scan.walkAndFlush(ctx)
		if err != nil {
			return err
		}
		found, err := w.compareSnapshots(ctx, now, to.ID)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(d difference) bool {
			// What was ignored before is in no snapshot, so that it stays, whatever the rules are now.
			return unseen[d.path] || d.to == nil && !seen[d.path] || w.skipMovedModule(d) || w.skipNewModule(d)
		})
		if len(found) == 0 {
			return nil
		}
		for _, d := range found {
			n := w.scan.root.findNode(d.path)
			if d.from == nil && n != nil && n.kind == ignored || d.to != nil && d.to.mode == modeModule {
				unseen[d.path] = true
			}
		}
		if err := w.applyDifferences(ctx, found); err != nil {
			return err
		}
	}
	return fmt.Errorf("the files do not stay as they are put; end what is still writing in %s", w.root.Dir)
}

// skipNewModule reports whether the difference is a module that the snapshot lacks, and logs that it stays.
func (w *Workspace) skipNewModule(d difference) bool {
	if d.to != nil || d.from.mode != modeModule {
		return false
	}
	w.scan.logOnce("%s is a repository of its own and stays where it is", d.path)
	return true
}

// listTree returns the paths that a snapshot has.
func (w *Workspace) listTree(ctx context.Context, tree string) (map[string]bool, error) {
	c := comparison{from: w.snapshots, to: w.snapshots}
	all, err := c.compareTrees(ctx, "", tree)
	paths := make(map[string]bool, len(all))
	for _, d := range all {
		paths[d.path] = true
	}
	return paths, err
}

// findHidden returns the files that the snapshot was, of the files as they are, does not have, and that
// writing the differences would overwrite or delete.
func (w *Workspace) findHidden(ctx context.Context, was mulligan.Tree, found []difference) ([]string, error) {
	seen, err := w.listTree(ctx, was.ID)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for _, d := range found {
		if d.to == nil || d.to.mode == modeModule || d.from != nil && d.from.mode != modeModule {
			continue
		}
		in, err := w.findInTheWay(ctx, d, seen)
		if err != nil {
			return nil, err
		}
		hidden = append(hidden, in...)
	}
	slices.Sort(hidden)
	return slices.Compact(hidden), nil
}

// findInTheWay returns the files that are not in seen and that would have to go for a new path.
func (w *Workspace) findInTheWay(ctx context.Context, d difference, seen map[string]bool) ([]string, error) {
	for _, dir := range parentFolders(d.path) {
		st, err := os.Lstat(w.fullPath(dir))
		if isGone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			if seen[dir] {
				return nil, nil
			}
			return []string{dir}, nil
		}
	}
	st, err := os.Lstat(w.fullPath(d.path))
	switch {
	case isGone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case st.IsDir():
		return w.listUnseen(d.path, seen)
	}
	same, err := w.holdsEntry(ctx, d.path, *d.to)
	if same || err != nil {
		return nil, err
	}
	return []string{d.path}, nil
}

// fullPath returns the path of a file of the workspace.
func (w *Workspace) fullPath(path string) string {
	return filepath.Join(w.root.Dir, filepath.FromSlash(path))
}

// listUnseen returns the files below a folder that are not in seen.
func (w *Workspace) listUnseen(dir string, seen map[string]bool) (unseen []string, err error) {
	err = filepath.WalkDir(w.fullPath(dir), func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(w.root.Dir, full)
		if path := filepath.ToSlash(rel); err == nil && !entry.IsDir() && !seen[path] {
			unseen = append(unseen, path)
		}
		return err
	})
	return unseen, err
}

// holdsEntry reports whether a file or link has the content of an entry of a snapshot.
func (w *Workspace) holdsEntry(ctx context.Context, path string, e entry) (bool, error) {
	full := w.fullPath(path)
	st, err := os.Lstat(full)
	if err != nil {
		return false, err
	}
	var have []byte
	switch {
	case st.Mode().IsRegular() && e.mode != modeLink:
		have, err = os.ReadFile(full)
	case st.Mode()&fs.ModeSymlink != 0 && e.mode == modeLink:
		var target string
		target, err = os.Readlink(full)
		have = []byte(target)
	default:
		return false, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	return err == nil && objectID("blob", have).String() == e.id, err
}
