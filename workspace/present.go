package workspace

import (
	"context"
	"os"
	"path/filepath"

	"mulligan"
)

// Present commits files of the person's checkout as they are now, on top of a commit: those of paths, or, with all, every
// file that git does not ignore. It only reads the checkout. It returns the commit, which is base where nothing differs, and
// what differs from base.
func (s *Site) Present(ctx context.Context, base string, paths []string, all bool, message, label string) (commit string, changed []string, err error) {
	index := filepath.Join(settingsIn(s.slot), "present.index")
	defer os.Remove(index)
	dir := s.checkout.Root
	c := &clone{dir: dir, readOnly: true, index: index, maxFile: s.Workspace.clone.maxFile, filters: s.Workspace.clone.filters, git: s.git().in(dir).with("GIT_WORK_TREE="+dir, "GIT_INDEX_FILE="+index)}
	if _, err := c.git.run(ctx, "read-tree", base); err != nil {
		return "", nil, err
	}
	if all {
		more, err := c.listDiffering(ctx)
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
	missing, err := s.fillIdentity(ctx)
	if err != nil {
		return "", nil, err
	}
	if commit, err = s.git().with(missing...).line(ctx, "commit-tree", "-p", base, "-m", message, tree); err != nil {
		return "", nil, err
	}
	return commit, changed, s.store.Label(ctx, label, commit)
}
