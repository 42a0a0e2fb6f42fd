package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// lay makes the clone's files exactly a tree: what the tree does not have goes, but for what git ignores, and, in a workspace
// that was taken, what no commit can have. A clone that git cannot bring to the tree is made anew.
func (c *clone) lay(ctx context.Context, tree string) error {
	if c.isProof { // a check may run next
		c.ignored, c.special = nil, nil
	}
	same, otherRules := c.isAsIndex(ctx), false
	if !c.isProof {
		var err error
		if otherRules, err = c.keepIgnored(ctx, tree); err != nil {
			same = false // it is made anew below
		}
	}
	if same && (c.tree == tree || c.move(ctx, tree)) {
		if otherRules {
			return c.clean(ctx)
		}
		return nil
	}
	c.tree, c.ignored = "", nil
	if err := c.checkOut(ctx, tree); err != nil {
		if ctx.Err() != nil {
			return err
		}
		if err := c.clear(); err != nil {
			return err
		}
		if err := c.checkOut(ctx, tree); err != nil {
			return err
		}
	}
	c.tree = tree
	return c.layChanged(ctx, tree)
}

// isAsIndex reports whether the files are what the index has, but for what git ignores. A process may run after that.
func (c *clone) isAsIndex(ctx context.Context) bool {
	same := c.same && c.tree != ""
	c.same = false
	if !c.isThere() || !exists(c.index) {
		c.tree = ""
		return false
	}
	if !same {
		paths, err := c.look(ctx)
		same = err == nil && len(paths) == 0
	}
	if same && c.tree == "" { // an earlier process has made the index
		c.tree, _ = c.git.line(ctx, "write-tree")
	}
	return same && c.tree != ""
}

// move brings a clone whose files are what its index has to another tree, where few paths differ: git looks at no other. Where
// paths come and others go it leaves that to a git that knows what is in the way of what. It reports whether the clone is there.
func (c *clone) move(ctx context.Context, tree string) bool {
	if c.site.isSparse() || len(c.site.modules) > 0 {
		return false
	}
	found, err := c.site.store.compare(ctx, c.tree, tree)
	if err != nil || len(found) > maxPathspecs {
		return false
	}
	var paths []string
	var come, leave bool
	for _, d := range found {
		paths = append(paths, d.path)
		come, leave = come || d.letter() == "A", leave || d.letter() == "D"
	}
	if come && leave || slices.ContainsFunc(paths, isAttributes) {
		return false
	}
	if err := c.restore(ctx, tree, paths); err != nil {
		return false
	}
	if c.tree, err = c.git.line(ctx, "write-tree"); err != nil || c.tree != tree {
		return false
	}
	if c.ignored != nil && slices.ContainsFunc(paths, c.changesIgnored) {
		c.ignored = nil
	}
	return !slices.ContainsFunc(paths, isIgnoreFile) || c.clean(ctx) == nil
}

// changesIgnored reports whether git may ignore something else once a file is another.
func (c *clone) changesIgnored(at string) bool {
	return isIgnoreFile(at) || slices.ContainsFunc(c.ignored, func(ignored string) bool {
		return strings.HasPrefix(at+"/", strings.TrimSuffix(ignored, "/")+"/") || strings.HasPrefix(ignored, at+"/")
	})
}

// keepIgnored leaves in the clone what the rules of a tree ignore and the tree does not have: the index has it only since a later
// tree had other rules. It reports whether the rules are others.
func (c *clone) keepIgnored(ctx context.Context, tree string) (bool, error) {
	if c.tree == "" || c.tree == tree {
		return false, nil
	}
	found, err := c.site.store.compare(ctx, c.tree, tree)
	if err != nil {
		return false, err
	}
	var rules []string
	gone := map[string]bool{}
	for _, d := range found {
		if isIgnoreFile(d.path) {
			rules = append(rules, d.path)
		}
		gone[d.path] = d.letter() == "D"
	}
	if len(rules) == 0 {
		return false, nil
	}
	if err := c.restore(ctx, tree, rules); err != nil {
		return true, err
	}
	return true, c.dropIgnored(ctx, func(path string) bool { return gone[path] })
}

// dropIgnored takes some of what git ignores out of the index. The files stay.
func (c *clone) dropIgnored(ctx context.Context, drops func(path string) bool) error {
	c.tree, c.ignored = "", nil
	out, err := c.git.run(ctx, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
	if err != nil {
		return err
	}
	hidden := slices.DeleteFunc(splitNull(out), func(path string) bool { return !drops(path) })
	if len(hidden) > 0 {
		if _, err := c.git.feed(ctx, joinNull(hidden), "update-index", "-z", "--force-remove", "--stdin"); err != nil {
			return err
		}
	}
	c.tree, err = c.git.line(ctx, "write-tree")
	return err
}

// restore makes some paths, in the index and as files, what a tree has there.
func (c *clone) restore(ctx context.Context, tree string, paths []string) error {
	_, err := c.runOn(ctx, paths, "--literal-pathspecs", "restore", "--source="+tree, "--staged", "--worktree",
		"--ignore-skip-worktree-bits", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
}

// isIgnoreFile reports whether a file tells git what to ignore.
func isIgnoreFile(at string) bool { return path.Base(at) == ".gitignore" }

// checkOut is lay by a git that looks at all files.
func (c *clone) checkOut(ctx context.Context, tree string) error {
	if !c.isThere() {
		if err := os.RemoveAll(c.dir); err != nil { // a link in its place leads elsewhere
			return err
		}
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	changed, err := c.git.run(ctx, "diff-index", "--cached", "--name-only", "-z", tree, "--", ":(glob)**/.gitattributes")
	if err != nil {
		return err
	}
	if attributes := splitNull(changed); len(attributes) > 0 {
		if err := c.forgetFiles(attributes); err != nil {
			return err
		}
	}
	if _, err := c.runFiltered(ctx, nil, "read-tree", "--reset", "-u", tree); err != nil {
		return err
	}
	return c.clean(ctx)
}

// clean removes what the index does not have, but for what git ignores, and in a workspace what no commit can have.
func (c *clone) clean(ctx context.Context) error {
	args := []string{"clean", "-ffdq"}
	if !c.isProof {
		for _, path := range shorten(c.refused) {
			args = append(args, "-e", "/"+globSigns.Replace(path))
		}
	}
	_, err := c.git.run(ctx, args...)
	return err
}

// shorten returns paths, or the folders at the top that they are in where they are many.
func shorten(paths []string) []string {
	if len(paths) <= maxPathspecs {
		return paths
	}
	var tops []string
	for _, path := range paths {
		top, _, _ := strings.Cut(path, "/")
		tops = append(tops, top)
	}
	slices.Sort(tops)
	return slices.Compact(tops)
}

// globSigns quotes the signs that mean something in a pattern of git's.
var globSigns = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `)

// forgetFiles has git write all files anew at the next checkout: where files with attributes are others, it makes other files
// of the same contents.
func (c *clone) forgetFiles(attributes []string) error {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range attributes {
		_ = root.Remove(filepath.FromSlash(path)) // git would go by one that is still there; it may not be
	}
	if err := os.Remove(c.index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// clear removes all that the clone has, but for its git folder, and the index of it.
func (c *clone) clear() error {
	if err := errors.Join(os.RemoveAll(c.index), os.RemoveAll(c.modulesDir())); err != nil {
		return err
	}
	c.modules, c.ignored = nil, nil
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // the folder itself was replaced
		return os.RemoveAll(c.dir)
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if err := removeAll(filepath.Join(c.dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a tree of files, also where folders were made unwritable.
func removeAll(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	// What cannot be changed stays in the way of the second try, which then reports it.
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}
