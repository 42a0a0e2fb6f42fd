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

	"mulligan"
)

// look lists the paths that differ from the index, and finds out what git ignores: of a folder that is ignored whole the
// folder. Folders and nested repositories end with a slash.
func (c *clone) look(ctx context.Context) (differing []string, err error) {
	c.ignored, c.special = nil, nil
	out, err := c.git.run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignored=traditional", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	var folders []string
	ignored := []string{}
	for _, entry := range splitNull(out) {
		if len(entry) < 4 {
			continue
		}
		switch state, at := entry[:2], entry[3:]; {
		case state == "!!":
			ignored = append(ignored, at)
		case state == "??" && strings.HasSuffix(at, "/"):
			folders = append(folders, at)
		case state[1] != ' ': // the other letter compares the index with a commit that does not matter
			differing = append(differing, at)
			if state[1] == 'D' && c.isFolder(at) { // git says nothing of a folder in the place of a file
				folders = append(folders, at)
			}
		}
	}
	more, err := c.listUntracked(ctx, folders)
	if err != nil {
		return nil, err
	}
	differing = append(differing, more...)
	slices.Sort(differing)
	c.ignored = ignored
	return c.keepSkipped(ctx, slices.Compact(differing))
}

// isFolder reports whether the clone has a folder at a path.
func (c *clone) isFolder(at string) bool {
	st, err := os.Lstat(filepath.Join(c.dir, filepath.FromSlash(at)))
	return err == nil && st.IsDir()
}

// listUntracked lists what the index does not have in some folders, without what git ignores. Where they are many it lists
// what is outside of them too.
func (c *clone) listUntracked(ctx context.Context, folders []string) ([]string, error) {
	if len(folders) == 0 {
		return nil, nil
	}
	args := []string{"--literal-pathspecs", "ls-files", "-z", "--others", "--exclude-standard", "--"}
	if len(folders) <= maxPathspecs {
		args = append(args, folders...)
	}
	out, err := c.git.run(ctx, args...)
	return splitNull(out), err
}

// maxPathspecs is how many paths a git is given: a command has room for so many arguments, and git compares each with all
// that it has.
const maxPathspecs = 200

// listHidden lists what git does not see in the clone: special files, empty folders, and what it ignores, with the rule.
func (c *clone) listHidden(ctx context.Context) (lacks []mulligan.Lack, err error) {
	special, err := c.listSpecial(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range special {
		lacks = append(lacks, mulligan.Lack{Path: f.path, Why: "it is " + f.kind})
	}
	paths := c.ignored[:min(len(c.ignored), maxLacks)]
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

// maxLooked is how many entries of a clone are looked at for what git does not see.
const maxLooked = 100_000

// A specialFile is what git does not see in a clone. The path of a folder ends with a slash.
type specialFile struct{ path, kind string }

// listSpecial lists what a clone has that git does not see: pipes, sockets and devices, folders that cannot be read, and empty
// ones. It does not look at what git ignores, nor into nested repositories.
func (c *clone) listSpecial(ctx context.Context) ([]specialFile, error) {
	if c.ignored == nil {
		if _, err := c.look(ctx); err != nil {
			return nil, err
		}
	}
	if c.special == nil {
		s := search{dir: c.dir, ignored: slices.Sorted(slices.Values(c.ignored)), found: []specialFile{}}
		s.enter("")
		c.special = s.found
	}
	return c.special, nil
}

// A search looks for special files in a clone.
type search struct {
	dir     string
	ignored []string // sorted
	looked  int
	found   []specialFile
}

// enter looks at a folder of the clone.
func (s *search) enter(dir string) {
	entries, err := os.ReadDir(filepath.Join(s.dir, filepath.FromSlash(dir)))
	switch {
	case errors.Is(err, errNameTooLong):
		top, _, _ := strings.Cut(dir, "/")
		s.found = append(s.found, specialFile{top + "/", "a folder with paths that are longer than the system allows"})
	case errors.Is(err, fs.ErrPermission) && dir != "":
		s.found = append(s.found, specialFile{dir + "/", "a folder that cannot be read"})
	}
	if err != nil {
		return
	}
	if len(entries) == 0 && dir != "" {
		s.found = append(s.found, specialFile{dir + "/", "an empty folder"})
	}
	if dir != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
		return
	}
	for _, e := range entries {
		if s.looked++; s.looked > maxLooked || len(s.found) >= maxLacks {
			return
		}
		if e.Type().IsRegular() {
			continue
		}
		switch at := path.Join(dir, e.Name()); {
		case at == ".git", s.isIgnored(at), s.isIgnored(at + "/"):
		case e.IsDir():
			s.enter(at)
		case describeSpecial(e.Type()) != "":
			s.found = append(s.found, specialFile{at, describeSpecial(e.Type())})
		}
	}
}

// isIgnored reports whether git ignores a path as such.
func (s *search) isIgnored(at string) bool {
	_, ok := slices.BinarySearch(s.ignored, at)
	return ok
}

// describeSpecial returns what kind of file that git does not see has a mode, or "".
func describeSpecial(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return ""
}

// listUnseen is listSpecial, as paths, without the folders of submodules that are not checked out: these are empty in every
// clone.
func (c *clone) listUnseen(ctx context.Context) ([]string, error) {
	special, err := c.listSpecial(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range special {
		paths = append(paths, strings.TrimSuffix(f.path, "/"))
	}
	staged, err := c.listStaged(ctx, paths)
	links := parseLinks(staged)
	return slices.DeleteFunc(paths, func(at string) bool { return links[at] != "" }), err
}

// removeUnseen removes what git does not see and an earlier session has left: pipes, sockets, devices, empty folders and what
// cannot be read.
func (c *clone) removeUnseen(ctx context.Context) error {
	paths, err := c.listUnseen(ctx)
	if err != nil || len(paths) == 0 {
		return err
	}
	c.special = nil
	for _, at := range paths {
		if err := removeAll(filepath.Join(c.dir, filepath.FromSlash(at))); err != nil {
			return err
		}
		for above := path.Dir(at); above != "." && os.Remove(filepath.Join(c.dir, filepath.FromSlash(above))) == nil; {
			above = path.Dir(above) // it had nothing else
		}
	}
	return nil
}
