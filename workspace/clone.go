package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/internal/confine"
)

// DefaultMaxFile is the size of the largest file that is committed.
const DefaultMaxFile = 512 << 20

// What one look at a clone may find that is new: past that it fails, with the path that has most.
const (
	maxNewPaths = 100_000
	maxNewBytes = 8 << 30
)

// A clone is a checkout of ours: its files, and the index that our git has of them. Our git works in the store, and never
// reads the clone's own git folder.
type clone struct {
	site    *Site
	dir     string
	index   string
	git     git
	maxFile int64
	filters FilterRunner // nil where git's config has no filter
	pipes   *pipeWatch   // nil for the person's checkout
	// readOnly is set for the person's checkout, which is looked at as a clone is.
	readOnly bool
	tree     string            // what the index has; "" if that is not known
	isProof  bool              // after each process that runs in it, it is taken before it is laid
	clean    bool              // nothing else is there, but for what git ignores, and no process has run since: known of a proof
	modules  map[string]*clone // of submodules, by path
	ownIndex string            // of the git that others work with there; "" if it does not count
}

// isThere reports whether the clone's folder is there, and is one: an agent or a check may have removed or replaced it.
func (c *clone) isThere() bool {
	st, err := os.Lstat(c.dir)
	return err == nil && st.IsDir()
}

// listDiffering lists the paths that differ from the index, without what git ignores. A nested repository ends with a slash.
func (c *clone) listDiffering(ctx context.Context) ([]string, error) {
	out, err := c.git.run(ctx, "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	paths := splitNull(out)
	slices.Sort(paths)
	return c.keepSkipped(ctx, slices.Compact(paths))
}

// listIgnored lists what git ignores: of a folder that is ignored whole the folder, with a slash.
func (c *clone) listIgnored(ctx context.Context) ([]string, error) {
	out, err := c.git.run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil, err
	}
	return splitNull(out), nil
}

// listHidden lists what git does not see in the clone: special files, empty folders, and what it ignores, with the rule.
func (c *clone) listHidden(ctx context.Context) (lacks []mulligan.Lack, err error) {
	ignored, err := c.listIgnored(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range c.listSpecial(ignored) {
		lacks = append(lacks, mulligan.Lack{Path: f.path, Why: "it is " + f.kind})
	}
	paths := ignored[:min(len(ignored), maxLacks)]
	if len(paths) == 0 {
		return lacks, nil
	}
	// Its exit code tells whether any of them is ignored.
	out, err := c.git.feed(ctx, joinNull(paths), "check-ignore", "--no-index", "-z", "-v", "--stdin")
	if err != nil && len(out) == 0 {
		return lacks, nil
	}
	fields := splitNull(out)
	for i := 0; i+3 < len(fields); i += 4 {
		where := fields[i] + ":" + fields[i+1]
		if filepath.IsAbs(fields[i]) {
			where = "a rule of your own (" + fields[i+2] + ")"
		}
		lacks = append(lacks, mulligan.Lack{Path: fields[i+3], Why: where + " ignores it"})
	}
	return lacks, nil
}

// take makes the index what the files are, and returns it as a tree, with what no commit can have.
func (c *clone) take(ctx context.Context) (tree string, lacks []mulligan.Lack, err error) {
	if err := c.dropLinks(ctx); err != nil {
		return "", nil, err
	}
	paths, err := c.listDiffering(ctx)
	if err != nil {
		return "", nil, err
	}
	c.clean = c.isProof && len(paths) == 0
	if len(paths) > 0 {
		c.tree = ""
		if lacks, err = c.addPaths(ctx, paths); err != nil {
			return "", nil, err
		}
	}
	if slices.ContainsFunc(paths, isAttributes) {
		again, err := c.addAgain(ctx)
		if err != nil {
			return "", nil, err
		}
		lacks = append(lacks, again...)
	}
	if c.tree == "" {
		if c.tree, err = c.git.line(ctx, "write-tree"); err != nil {
			return "", nil, err
		}
	}
	return c.tree, lacks, nil
}

// isAttributes reports whether a file has attributes, by which git converts files.
func isAttributes(at string) bool { return path.Base(at) == ".gitattributes" }

// addAgain adds all files of the index once more that are in the clone: where attributes have changed, git makes other
// contents of the same files.
func (c *clone) addAgain(ctx context.Context) ([]mulligan.Lack, error) {
	out, err := c.git.run(ctx, "ls-files", "-z", "-t", "--stage")
	if err != nil {
		return nil, err
	}
	var entries []byte
	var paths []string
	for _, line := range splitNull(out) {
		if entry, ok := strings.CutPrefix(line, "H "); ok && !strings.HasPrefix(entry, modeModule) {
			_, at, _ := strings.Cut(entry, "\t")
			entries, paths = append(append(entries, entry...), 0), append(paths, at)
		}
	}
	if _, err := c.git.feed(ctx, entries, "update-index", "-z", "--index-info"); err != nil { // git forgets which files it knows
		return nil, err
	}
	return c.addEach(ctx, paths, false)
}

// addPaths brings the index to the files at some paths.
func (c *clone) addPaths(ctx context.Context, paths []string) ([]mulligan.Lack, error) {
	names, err := c.readModuleNames(ctx)
	if err != nil {
		return nil, err
	}
	add, drop, lacks, err := c.sortPaths(paths, names)
	if err != nil {
		return nil, err
	}
	repositories := slices.DeleteFunc(slices.Clone(add), func(path string) bool {
		st, err := os.Lstat(filepath.Join(c.dir, filepath.FromSlash(path)))
		return err != nil || !st.IsDir()
	})
	before, err := c.listStaged(ctx, repositories)
	if err != nil {
		return nil, err
	}
	if len(drop) > 0 {
		if _, err := c.git.feed(ctx, joinNull(drop), "update-index", "-z", "--force-remove", "--stdin"); err != nil {
			return nil, err
		}
	}
	odd, plain := splitOdd(add) // .gitattributes comes first: it decides how the others are added
	lacksOdd, err := c.addEach(ctx, odd, true)
	if err != nil {
		return nil, err
	}
	lacksPlain, err := c.addEach(ctx, plain, false)
	if err != nil {
		return nil, err
	}
	lacksLinks, err := c.keepKnownLinks(ctx, before, repositories, names)
	return slices.Concat(lacks, lacksOdd, lacksPlain, lacksLinks), err
}

// addEach brings the index to the files at some paths, and returns those that git refuses, with what it says. With tell git
// tells which paths it took: it skips a name that it refuses, and ends at a file that it refuses.
func (c *clone) addEach(ctx context.Context, paths []string, tell bool) (refused []mulligan.Lack, err error) {
	const patience = 50 // files that git refuses, one after the other
	for range patience {
		if len(paths) == 0 {
			return refused, nil
		}
		args := []string{"update-index", "-z", "--add", "--remove", "--replace"}
		if tell {
			args = append(args, "--verbose")
		}
		out, err := c.runFiltered(ctx, joinNull(paths), append(args, "--stdin")...)
		failed, ok := errors.AsType[*GitError](err)
		switch {
		case err != nil && (!ok || strings.Contains(failed.Stderr, "failed to insert into database")):
			return nil, err
		case err == nil && !tell:
			return refused, nil
		case !tell:
			tell = true
			continue
		}
		taken, left := splitTaken(string(out), paths)
		if failed == nil {
			for _, path := range left {
				refused = append(refused, mulligan.Lack{Path: path, Why: "git refuses its name"})
			}
			return refused, nil
		}
		for len(left) > 0 && strings.Contains(failed.Stderr, "Ignoring path "+left[0]+"\n") {
			refused, left = append(refused, mulligan.Lack{Path: left[0], Why: "git refuses its name"}), left[1:]
		}
		if len(left) == 0 {
			return nil, err
		}
		refused = append(refused, mulligan.Lack{Path: left[0], Why: explainRefusal(failed)})
		paths = append(taken, left[1:]...)
	}
	return nil, &mulligan.BoundError{Path: refused[len(refused)-1].Path, What: "files that git refuses"}
}

// splitTaken tells the paths that git says it took from the others, of which it went through those before the first that
// it did not take.
func splitTaken(out string, paths []string) (taken, left []string) {
	for _, path := range paths {
		rest, ok := strings.CutPrefix(out, "add '"+path+"'\n")
		if !ok {
			left = append(left, path)
			continue
		}
		out, taken = rest, append(taken, path)
	}
	return taken, left
}

// explainRefusal returns why git does not add a file.
func explainRefusal(e *GitError) string {
	for line := range strings.Lines(e.Stderr) {
		if why, ok := strings.CutPrefix(line, "fatal: "); ok && !strings.HasPrefix(why, "Unable to process path ") {
			return "git refuses it: " + strings.TrimSpace(why)
		}
	}
	return "git cannot read it"
}

// splitOdd tells paths that git may take for its own folder, on some system, from the others.
func splitOdd(paths []string) (odd, plain []string) {
	for _, path := range paths {
		if isOdd(path) {
			odd = append(odd, path)
		} else {
			plain = append(plain, path)
		}
	}
	return odd, plain
}

// isOdd reports whether git may refuse a path for its name.
func isOdd(path string) bool {
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		name = strings.ToLower(strings.Map(func(r rune) rune {
			if r >= utf8.RuneSelf {
				return -1 // some systems ignore some of these
			}
			return r
		}, name))
		if strings.HasPrefix(name, ".git") || strings.HasPrefix(name, "git~") {
			return true
		}
	}
	return false
}

// sortPaths tells apart what is added to the index, what leaves it, and what no commit can have.
// names are those of submodules, by path.
func (c *clone) sortPaths(paths []string, names map[string]string) (add, drop []string, lacks []mulligan.Lack, err error) {
	var bytes int64
	for _, path := range paths {
		if module, ok := strings.CutSuffix(path, "/"); ok {
			if c.site.findModule(names[module], module) != nil {
				add = append(add, module)
				continue
			}
			lacks = append(lacks, mulligan.Lack{Path: path, Why: "it is a git repository of its own"})
			continue
		}
		st, err := os.Lstat(filepath.Join(c.dir, filepath.FromSlash(path)))
		if err == nil && st.Mode().IsRegular() {
			if st.Size() > c.maxFile {
				lacks, drop = append(lacks, mulligan.Lack{Path: path, Why: fmt.Sprintf("it is larger than workspace.max_file (%d MiB)", c.maxFile>>20)}), append(drop, path)
				continue
			}
			bytes += st.Size()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !isNoFolder(err) {
			lacks = append(lacks, mulligan.Lack{Path: path, Why: "it cannot be read"})
			continue
		}
		if err == nil && describeSpecial(st.Mode()) != "" { // Lacks finds it
			drop = append(drop, path)
			continue
		}
		if err == nil && st.Mode().Type() == fs.ModeSymlink && !c.readOnly && c.leadsOut(path) {
			lacks, drop = append(lacks, mulligan.Lack{Path: path, Why: "it is a link that leads out of the repository"}), append(drop, path)
			continue
		}
		add = append(add, path)
	}
	switch {
	case len(add) > maxNewPaths:
		return nil, nil, nil, &mulligan.BoundError{Path: findLargest(add), What: fmt.Sprintf("%d paths", len(add))}
	case bytes > maxNewBytes:
		return nil, nil, nil, &mulligan.BoundError{Path: findLargest(add), What: fmt.Sprintf("%d MiB", bytes>>20)}
	}
	return add, drop, lacks, nil
}

// systemFolders are where a link may lead that leaves the clone: what is there is the system's, and not an agent's.
var systemFolders = []string{"/dev/null", "/bin", "/etc", "/lib", "/lib64", "/nix", "/opt", "/sbin", "/usr"}

// leadsOut reports whether a link leaves the clone, but for the system's folders: a check would read there what no commit
// has, and what an agent may write.
func (c *clone) leadsOut(path string) bool {
	to, err := os.Readlink(filepath.Join(c.dir, filepath.FromSlash(path)))
	if err != nil || !filepath.IsAbs(to) {
		return err == nil && climbsOut(filepath.Dir(filepath.FromSlash(path)), to)
	}
	return !slices.ContainsFunc(systemFolders, func(dir string) bool { return confine.Covers(dir, to) })
}

// climbsOut reports whether the way from a folder of a clone to a relative path is outside of the clone at some point.
func climbsOut(dir, to string) bool {
	depth := 0
	for name := range strings.SplitSeq(filepath.ToSlash(filepath.Join(dir)+"/"+to), "/") {
		switch name {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return true
		}
	}
	return false
}

// findLargest returns the folder at the top that has most of the paths.
func findLargest(paths []string) string {
	counts := map[string]int{}
	largest := ""
	for _, path := range paths {
		top, _, _ := strings.Cut(path, "/")
		if counts[top]++; counts[top] > counts[largest] {
			largest = top
		}
	}
	return largest
}

// isNoFolder reports whether a path could not be looked at because what is above it is a file.
func isNoFolder(err error) bool { return errors.Is(err, errNotDir) }

// lay makes the clone's files exactly a tree: what the tree does not have goes, but for what git ignores. A clone that git
// cannot bring to the tree is made anew.
func (c *clone) lay(ctx context.Context, tree string) error {
	clean := c.clean && c.isThere()
	c.clean = false
	if !c.isThere() {
		c.tree = ""
		if err := os.RemoveAll(c.dir); err != nil { // a link in its place leads elsewhere
			return err
		}
	}
	if c.tree == tree {
		paths, err := c.listDiffering(ctx)
		if err == nil && len(paths) == 0 {
			return nil
		}
	}
	c.tree = ""
	if err := c.checkOut(ctx, tree, clean); err != nil {
		if ctx.Err() != nil {
			return err
		}
		if err := c.clear(); err != nil {
			return err
		}
		if err := c.checkOut(ctx, tree, false); err != nil {
			return err
		}
	}
	c.tree = tree
	return c.layChanged(ctx, tree)
}

// checkOut is lay by git. Clean tells that the clone has no file that its index does not have, but for what git ignores: it
// stays so if the tree ignores the same.
func (c *clone) checkOut(ctx context.Context, tree string, clean bool) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	changed, err := c.git.run(ctx, "diff-index", "--cached", "--name-only", "-z", tree, "--", ":(glob)**/.gitattributes", ":(glob)**/.gitignore")
	if err != nil {
		return err
	}
	attributes := slices.DeleteFunc(splitNull(changed), func(at string) bool { return !isAttributes(at) })
	if len(attributes) > 0 {
		if err := c.forgetFiles(attributes); err != nil {
			return err
		}
	}
	if _, err := c.runFiltered(ctx, nil, "read-tree", "--reset", "-u", tree); err != nil || clean && len(changed) == 0 {
		return err
	}
	_, err = c.git.run(ctx, "clean", "-ffdq")
	return err
}

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
	c.modules = nil
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
