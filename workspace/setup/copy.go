package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/text"
)

// A SkipError names what was not copied, and why; all else was.
type SkipError struct {
	Paths []string // "node_modules/x: it is a link that leads out"
}

func (e *SkipError) Error() string {
	shown := e.Paths[:min(len(e.Paths), 5)]
	words := "not copied: " + strings.Join(shown, "; ")
	if more := len(e.Paths) - len(shown); more > 0 {
		words += fmt.Sprintf("; and %d more", more)
	}
	return words
}

// A limits is the most that is copied.
type limits struct {
	files int // folders and links count too
	bytes int64
	depth int // of folders
}

func defaultLimits() limits { return limits{files: 200_000, bytes: 4 << 30, depth: 200} }

// Copy copies files and whole folders from root to the same places below to, with their permissions, and
// replaces files that are there. Paths are relative. It returns those that it copied, in whole or in part. The
// error is a *SkipError where some were left out and the rest copied: what is not there, neither a file nor a
// folder, or a link that leads out of root. Links are copied as links; none is followed in root, and nothing is
// written through one below to. At 200,000 files or 4 GiB it stops.
func Copy(root, to string, paths []string) (copied []string, err error) {
	return copyWithin(root, to, paths, defaultLimits())
}

func copyWithin(root, to string, paths []string, most limits) (copied []string, err error) {
	from, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	into, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer into.Close()
	source, err := from.Stat(".")
	if err != nil {
		return nil, err
	}
	target, err := into.Stat(".")
	if err != nil {
		return nil, err
	}
	if os.SameFile(source, target) {
		return nil, fmt.Errorf("copy: %s and %s are the same folder", text.QuotePath(root), text.QuotePath(to))
	}
	c := &copier{root: from, target: target, most: most}
	for _, name := range paths {
		ok, err := c.copyPath(from, into, name)
		if ok {
			copied = append(copied, name)
		}
		if err != nil {
			return copied, err
		}
	}
	if len(c.skipped) > 0 {
		return copied, &SkipError{Paths: c.skipped}
	}
	return copied, nil
}

// A copier copies files of one root.
type copier struct {
	root    *os.Root
	target  fs.FileInfo // the folder that is copied to
	most    limits
	files   int
	bytes   int64
	skipped []string
}

// copyPath copies a file or a folder, and reports whether it copied anything. An error ends the whole copy.
func (c *copier) copyPath(from, into *os.Root, name string) (bool, error) {
	local := filepath.Clean(filepath.FromSlash(name))
	first, _, _ := strings.Cut(local, string(filepath.Separator))
	switch {
	case name == "" || local == "." || !filepath.IsLocal(local):
		return false, c.skip(name, "it is not a path inside the repository")
	case strings.EqualFold(first, ".git"):
		return false, c.skip(name, "git's own folder is not copied")
	}
	from, into, err := c.enterParents(from, into, local)
	if err != nil {
		return false, c.skip(name, err.Error())
	}
	defer from.Close()
	defer into.Close()
	before := c.files
	err = c.copyEntry(place{from: from, into: into, name: filepath.Base(local), path: local})
	if err != nil {
		err = fmt.Errorf("copy %s: %w", text.QuotePath(name), err)
	}
	return c.files > before, err
}

// enterParents opens the folders that a path lies in, and makes those that to lacks.
func (c *copier) enterParents(from, into *os.Root, local string) (*os.Root, *os.Root, error) {
	from, err := from.OpenRoot(".")
	if err != nil {
		return nil, nil, err
	}
	if into, err = into.OpenRoot("."); err != nil {
		from.Close()
		return nil, nil, err
	}
	parents := strings.Split(local, string(filepath.Separator))
	for _, name := range parents[:len(parents)-1] {
		nextFrom, nextInto, err := enterBoth(from, into, name)
		from.Close()
		into.Close()
		if err != nil {
			return nil, nil, err
		}
		from, into = nextFrom, nextInto
	}
	return from, into, nil
}

// enterBoth opens the same folder on both sides, and makes it where it is to be copied to.
func enterBoth(from, into *os.Root, name string) (*os.Root, *os.Root, error) {
	nextFrom, err := enterFolder(from, name)
	if err != nil {
		return nil, nil, err
	}
	nextInto, err := makeFolder(into, name)
	if err != nil {
		nextFrom.Close()
		return nil, nil, err
	}
	return nextFrom, nextInto, nil
}

// enterFolder opens a folder that is not reached through a link.
func enterFolder(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there", text.QuotePath(name))
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is %s, not a folder", text.QuotePath(name), describeKind(info.Mode()))
	}
	opened, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := opened.Stat(".")
	if err == nil && !os.SameFile(info, now) { // a link has replaced it
		err = fmt.Errorf("%s has changed meanwhile", text.QuotePath(name))
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

// makeFolder opens a folder, and makes it if nothing is there.
func makeFolder(parent *os.Root, name string) (*os.Root, error) {
	if err := parent.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return enterFolder(parent, name)
}

func describeKind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	}
	return "not a regular file"
}

// skip notes what is not copied. It returns nil: the rest is.
func (c *copier) skip(name, why string) error {
	c.skipped = append(c.skipped, text.QuotePath(filepath.ToSlash(name))+": "+why)
	return nil
}

// checkCount returns an error if one thing more is too much.
func (c *copier) checkCount() error {
	if c.files >= c.most.files {
		return fmt.Errorf("more than %d files", c.most.files)
	}
	return nil
}

// checkBytes returns an error if so many bytes more are too much.
func (c *copier) checkBytes(n int64) error {
	if c.bytes+n > c.most.bytes {
		return fmt.Errorf("more than %s", describeBytes(c.most.bytes))
	}
	return nil
}

func describeBytes(n int64) string {
	if n%(1<<30) == 0 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	return fmt.Sprintf("%d bytes", n)
}
