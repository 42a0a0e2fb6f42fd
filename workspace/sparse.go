package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/gitfolder"
)

// isSparse reports whether the person has checked out a part of the files only.
func (s *Site) isSparse() bool {
	return s.frozen.Config.Bool("core.sparsecheckout", false) && s.frozen.SparseCheckout != ""
}

// sparseFile is the file of a git folder that has the patterns of the files that are checked out.
const sparseFile = "info/sparse-checkout"

// writeSparse makes a git folder that has the person's patterns, for gits that have all else from the store.
func (s *Site) writeSparse() error {
	if !s.isSparse() {
		return nil
	}
	dir := s.sparseGit()
	return errors.Join(os.MkdirAll(filepath.Join(dir, "info"), 0o700), os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(dir, filepath.FromSlash(sparseFile)), []byte(s.frozen.SparseCheckout), 0o600))
}

// sparseGit returns the git folder that writeSparse makes.
func (s *Site) sparseGit() string { return filepath.Join(settingsIn(s.slot), "sparse.git") }

// layChanged brings files that a tree has changed and the person's patterns leave out to the clone, which is laid to the tree.
func (c *clone) layChanged(ctx context.Context, tree string) error {
	if !c.site.isSparse() {
		return nil
	}
	changed, err := c.site.store.ChangedPaths(ctx, c.site.checkout.Head, tree)
	if err != nil || len(changed) == 0 {
		return err
	}
	skipped, _, err := listSkipped(ctx, c.git)
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, func(at string) bool { return !skipped[at] })
	if len(changed) == 0 {
		return nil
	}
	_, err = c.runOn(ctx, changed, "checkout-index", "-z", "-f", "-u", "--ignore-skip-worktree-bits", "--stdin")
	return err
}

// keepSkipped takes out of a list of paths those that are missing in the clone since its own git leaves them out of the
// checkout: they were not deleted. Our index then has them as left out too.
func (c *clone) keepSkipped(ctx context.Context, paths []string) ([]string, error) {
	if c.ownIndex == "" {
		return paths, nil
	}
	var missing []string
	for _, at := range paths {
		if !exists(filepath.Join(c.dir, filepath.FromSlash(at))) {
			missing = append(missing, at)
		}
	}
	if len(missing) == 0 {
		return paths, nil
	}
	skipped, folders := c.listOwnSkipped(ctx)
	missing = slices.DeleteFunc(missing, func(at string) bool {
		return !skipped[at] && !slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(at, folder) })
	})
	if len(missing) == 0 {
		return paths, nil
	}
	if _, err := c.git.feed(ctx, joinNull(missing), "update-index", "-z", "--skip-worktree", "--stdin"); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(paths, func(at string) bool {
		_, found := slices.BinarySearch(missing, at)
		return found
	}), nil
}

// listOwnSkipped is listSkipped for the clone's own git. An index that git cannot read leaves nothing out.
func (c *clone) listOwnSkipped(ctx context.Context) (files map[string]bool, folders []string) {
	data, err := gitfolder.ReadFile(c.ownIndex)
	if err != nil {
		return nil, nil
	}
	index := c.index + ".own"
	defer os.Remove(index)
	if err := os.WriteFile(index, data, 0o600); err != nil {
		return nil, nil
	}
	files, folders, _ = listSkipped(ctx, c.git.with("GIT_INDEX_FILE="+index))
	return files, folders
}

// listSkipped lists the files that the index of a git leaves out of the checkout, and the folders that it leaves out whole.
func listSkipped(ctx context.Context, g git) (files map[string]bool, folders []string, err error) {
	out, err := g.run(ctx, "ls-files", "-z", "-t", "--sparse")
	if err != nil { // git before 2.36
		out, err = g.run(ctx, "ls-files", "-z", "-t")
	}
	files = map[string]bool{}
	for _, line := range splitNull(out) {
		if at, ok := strings.CutPrefix(line, "S "); ok && strings.HasSuffix(at, "/") {
			folders = append(folders, at)
		} else if ok {
			files[at] = true
		}
	}
	return files, folders, err
}
