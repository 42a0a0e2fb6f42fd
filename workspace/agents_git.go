package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/gitfolder"
)

// servesAgent reports whether a git folder in the root of a workspace, in which an agent may have written, still serves as
// one: no link leads to it, its config can be read, it has the store's objects, no pipe or device is in it, and those of
// submodules in it serve. No git reads the folder for that.
func (s *Site) servesAgent(ctx context.Context, root *os.Root, at string) bool {
	gitDir := filepath.Join(root.Name(), filepath.FromSlash(at))
	if !isPlainFolder(root, at) {
		return false
	}
	alternates, err := gitfolder.ReadFile(filepath.Join(gitDir, "objects", "info", "alternates"))
	if err != nil || !strings.Contains("\n"+string(alternates), "\n"+s.store.objects()+"\n") {
		return false
	}
	if hasSpecial(gitDir) {
		return false
	}
	config, err := gitfolder.ReadFile(filepath.Join(gitDir, "config"))
	if err == nil && !bytes.Equal(config, s.makeConfig().Encode()) {
		_, err = s.git().run(ctx, "config", "--no-includes", "--file", filepath.Join(gitDir, "config"), "--list")
	}
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(s.modules, func(m module) bool { return !m.site.servesAgent(ctx, root, at+"/modules/"+m.name) })
}

// errSpecial is the error of a file that is none.
var errSpecial = errors.New("not a regular file")

// hasSpecial reports whether a git folder has something that is no file and no folder, or that cannot be read. It does not
// look at objects one by one.
func hasSpecial(gitDir string) bool {
	return filepath.WalkDir(gitDir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && len(d.Name()) == 2 && filepath.Base(filepath.Dir(at)) == "objects" {
			return fs.SkipDir
		}
		mode := d.Type()
		if mode == fs.ModeSymlink {
			st, err := os.Stat(at)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			mode = st.Mode().Type()
		}
		if mode != 0 && mode != fs.ModeDir {
			return errSpecial
		}
		return nil
	}) != nil
}

// removeLocks removes the locks that gits have left in a git folder, and those of submodules in it. No process may work there.
func removeLocks(gitDir string) error {
	return filepath.WalkDir(gitDir, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "objects" && !strings.Contains(strings.TrimPrefix(at, gitDir), "refs"):
			return fs.SkipDir
		case strings.HasSuffix(at, ".lock"):
			return removeAll(at)
		}
		return nil
	})
}
