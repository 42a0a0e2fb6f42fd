package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/gitfolder"
)

// servesAgent reports whether the git folder of a workspace, in which an agent may have written, still serves as one: its
// config can be read, it has the store's objects, and no pipe or device is in it. No git reads the folder for that.
func (s *Site) servesAgent(ctx context.Context, gitDir string) bool {
	alternates, err := gitfolder.ReadFile(filepath.Join(gitDir, "objects", "info", "alternates"))
	if err != nil || !strings.Contains("\n"+string(alternates), "\n"+s.store.objects()+"\n") {
		return false
	}
	if hasSpecial(gitDir) {
		return false
	}
	_, err = s.git().run(ctx, "config", "--no-includes", "--file", filepath.Join(gitDir, "config"), "--list")
	return err == nil
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
