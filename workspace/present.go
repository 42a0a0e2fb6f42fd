package workspace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
)

// Present commits files of the person's checkout as they are now, on top of a commit: those of paths, or, with all, every
// file that git does not ignore. It only reads the checkout. It returns the commit, which is base where nothing differs, and
// what differs from base.
func (s *Site) Present(ctx context.Context, base string, paths []string, all bool, message, label string) (commit string, changed []string, err error) {
	index := filepath.Join(settingsIn(s.slot), "present.index")
	defer os.Remove(index)
	dir := s.checkout.Root
	c := s.newClone(dir, index)
	c.readOnly, c.pipes, c.git.watch, c.ownIndex = true, nil, nil, filepath.Join(s.checkout.Git, "index")
	if !all {
		if same, err := c.hasSame(ctx, base, paths); same || err != nil {
			return base, nil, err
		}
	}
	if _, err := c.git.run(ctx, "read-tree", base); err != nil {
		return "", nil, err
	}
	if all {
		more, err := c.look(ctx)
		if err != nil {
			return "", nil, err
		}
		paths = append(paths, more...)
	}
	if len(paths) > 0 {
		if _, err := c.addPaths(ctx, paths); err != nil {
			return "", nil, err
		}
	}
	tree, err := c.git.line(ctx, "write-tree")
	if err != nil {
		return "", nil, err
	}
	changed, _, err = s.store.Changed(ctx, mulligan.Tree{ID: base}, mulligan.Tree{ID: tree}, maxDiffPaths)
	if err != nil || len(changed) == 0 {
		return base, nil, err
	}
	commit, err = s.commitTree(ctx, base, tree, message, label)
	return commit, changed, err
}

// hasSame reports whether the files at some paths are what a commit has there. It makes an index of them alone.
func (c *clone) hasSame(ctx context.Context, commit string, paths []string) (bool, error) {
	if len(paths) == 0 {
		return true, nil
	}
	entries, err := c.site.listEntries(ctx, commit, paths)
	if err != nil || bytes.Count(entries, []byte{0}) != len(paths) {
		return false, err
	}
	if err := os.RemoveAll(c.index); err != nil {
		return false, err
	}
	if _, err := c.git.feed(ctx, entries, "update-index", "-z", "--index-info"); err != nil {
		return false, err
	}
	out, err := c.git.run(ctx, "ls-files", "-z", "--modified", "--deleted")
	return err == nil && len(out) == 0, err
}

// commitTree makes a commit of a tree, and labels it unless label is "".
func (s *Site) commitTree(ctx context.Context, parent, tree, message, label string) (string, error) {
	missing, err := s.fillIdentity(ctx)
	if err != nil {
		return "", err
	}
	commit, err := s.git().with(missing...).line(ctx, "commit-tree", "-p", parent, "-m", message, tree)
	if err != nil || label == "" {
		return commit, err
	}
	return commit, s.store.Label(ctx, label, commit)
}

// A CarryError names files that the person and the session have changed, each in their own way.
type CarryError struct{ Paths []string }

func (e *CarryError) Error() string {
	return "your uncommitted work and the session's changed the same files: " + strings.Join(e.Paths, ", ")
}

// Carry commits all uncommitted work of the person's checkout on top of a commit of the session's, and brings it into the tree
// that is on top of that commit. It only reads the checkout. It returns the tree and commit, and what it took; what the label
// says was carried before, and is as it was then, is not taken again. The error is a *CarryError where the session has changed
// the same files.
func (s *Site) Carry(ctx context.Context, onto mulligan.Tree, message, label string) (to mulligan.Tree, taken []string, err error) {
	head := s.checkout.Head
	work, changed, err := s.Present(ctx, head, nil, true, message, "")
	if err != nil || len(changed) == 0 {
		return onto, nil, err
	}
	unlike, err := s.listUnlikeCarried(ctx, onto.Head, work, label)
	if err != nil {
		return onto, nil, err
	}
	var theirs, ours, apart []string
	for _, c := range []struct {
		paths    *[]string
		from, to string
	}{{&theirs, head, work}, {&ours, head, onto.ID}, {&apart, work, onto.ID}} {
		if *c.paths, err = s.store.ChangedPaths(ctx, c.from, c.to); err != nil {
			return onto, nil, err
		}
	}
	var both, paths []string
	for _, path := range theirs {
		switch {
		case !slices.Contains(apart, path), unlike != nil && !slices.Contains(unlike, path): // the session has it already
		case slices.Contains(ours, path):
			both = append(both, path)
		default:
			paths = append(paths, path)
		}
	}
	if len(both) > 0 {
		return onto, nil, &CarryError{Paths: both}
	}
	if len(paths) == 0 {
		return onto, nil, nil
	}
	tree, err := s.combineTrees(ctx, onto.Head, work, paths)
	if err != nil {
		return onto, nil, err
	}
	if to.Head, err = s.commitTree(ctx, onto.Head, tree, message, label); err != nil {
		return onto, nil, err
	}
	to.ID, err = s.combineTrees(ctx, onto.ID, work, paths)
	return to, paths, err
}

// listUnlikeCarried lists the paths at which the person's work is not what was carried before into the history of a commit; nil
// if nothing was.
func (s *Site) listUnlikeCarried(ctx context.Context, onto, work, label string) ([]string, error) {
	carried, err := s.store.Commit(ctx, sessionRefs+label)
	if err != nil || carried == "" {
		return nil, err
	}
	if within, err := s.store.Contains(ctx, onto, carried); err != nil || !within {
		return nil, err
	}
	paths, err := s.store.ChangedPaths(ctx, carried, work)
	return append([]string{}, paths...), err
}
