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
	refused  []string          // what no commit can have, when the clone was last taken: lay leaves it alone in a workspace
	same     bool              // the files are what the index has, but for what git ignores: known of a proof that was taken
	ignored  []string          // what git ignored when the clone was last looked at; nil if that is not known
	special  []specialFile     // what git did not see then; nil if that is not known
	modules  map[string]*clone // of submodules, by path
	ownIndex string            // of the git that others work with there; "" if it does not count
}

// isThere reports whether the clone's folder is there, and is one: an agent or a check may have removed or replaced it.
func (c *clone) isThere() bool {
	st, err := os.Lstat(c.dir)
	return err == nil && st.IsDir()
}

// take makes the index what the files are, and returns it as a tree, with what no commit can have.
func (c *clone) take(ctx context.Context) (tree string, lacks []mulligan.Lack, err error) {
	if err := c.dropLinks(ctx); err != nil {
		return "", nil, err
	}
	paths, err := c.look(ctx)
	if err != nil {
		return "", nil, err
	}
	c.same = false
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
	c.same, c.refused = c.isProof && len(lacks) == 0, nil
	for _, l := range lacks {
		c.refused = append(c.refused, l.Path)
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
		var args []string
		if len(paths) > manyFiles {
			args = []string{"-c", "core.fsyncMethod=batch"}
		}
		args = append(args, "update-index", "-z", "--add", "--remove", "--replace")
		if tell {
			args = append(args, "--verbose")
		}
		out, err := c.runOn(ctx, paths, append(args, "--stdin")...)
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

// manyFiles is how many files git writes before it is quicker to flush them all at once.
const manyFiles = 50

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
