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

// maxLooked is how many entries of a clone are looked at for what git does not see.
const maxLooked = 100_000

// A specialFile is what git does not see in a clone. The path of a folder ends with a slash.
type specialFile struct{ path, kind string }

// listSpecial lists what a clone has that git does not see: pipes, sockets and devices, folders that cannot be read, and empty
// ones. It does not look at what git ignores, nor into nested repositories.
func (c *clone) listSpecial(ignored []string) []specialFile {
	ignored = slices.Sorted(slices.Values(ignored))
	isIgnored := func(path string) bool {
		_, ok := slices.BinarySearch(ignored, path)
		return ok
	}
	var found []specialFile
	looked := 0
	var look func(dir string)
	look = func(dir string) {
		entries, err := os.ReadDir(filepath.Join(c.dir, filepath.FromSlash(dir)))
		switch {
		case errors.Is(err, errNameTooLong):
			top, _, _ := strings.Cut(dir, "/")
			found = append(found, specialFile{top + "/", "a folder with paths that are longer than the system allows"})
		case errors.Is(err, fs.ErrPermission) && dir != "":
			found = append(found, specialFile{dir + "/", "a folder that cannot be read"})
		}
		if err != nil {
			return
		}
		if len(entries) == 0 && dir != "" {
			found = append(found, specialFile{dir + "/", "an empty folder"})
		}
		if dir != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
			return
		}
		for _, e := range entries {
			at := path.Join(dir, e.Name())
			if looked++; looked > maxLooked || len(found) >= maxLacks {
				return
			}
			switch {
			case at == ".git", isIgnored(at), isIgnored(at + "/"):
			case e.IsDir():
				look(at)
			case describeSpecial(e.Type()) != "":
				found = append(found, specialFile{at, describeSpecial(e.Type())})
			}
		}
	}
	look("")
	return found
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

// removeSpecial removes the pipes, sockets and devices that an earlier session has left.
func (c *clone) removeSpecial(ctx context.Context) error {
	ignored, err := c.listIgnored(ctx)
	if err != nil {
		return err
	}
	for _, f := range c.listSpecial(ignored) {
		if strings.HasSuffix(f.path, "/") {
			continue
		}
		if err := os.Remove(filepath.Join(c.dir, filepath.FromSlash(f.path))); err != nil {
			return err
		}
	}
	return nil
}
