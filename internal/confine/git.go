package confine

import (
	"os"
	"path/filepath"
	"strings"
)

// worktreeFolders are what a worktree's git writes of the folder that all worktrees share. config, hooks and
// info are not among them: git would run or obey what an agent puts there.
var worktreeFolders = []string{"objects", "refs", "logs", "lfs"}

// maxLink is the longest .git file that is read.
const maxLink = 64 << 10

// listGit returns what git writes outside the workspace of a worktree or a submodule, or nil where .git is
// in the workspace. The workspace's .git names the folder, and an agent may have written it: the
// folder must be one of git's own for this workspace.
func (r Request) listGit() []Path {
	dir := readLink(filepath.Join(r.Dir, ".git"), "gitdir: ", r.Dir)
	if dir == "" {
		return nil
	}
	if above := filepath.Dir(dir); filepath.Base(above) == "worktrees" {
		common := filepath.Dir(above)
		back := readLink(filepath.Join(dir, "gitdir"), "", dir)
		if !sameFile(back, filepath.Join(r.Dir, ".git")) {
			return nil
		}
		list := []Path{{dir, "the worktree's own git folder"}}
		for _, name := range worktreeFolders {
			list = append(list, Path{filepath.Join(common, name), "git, shared with the repository"})
		}
		return list
	}
	// The git folder of a submodule is in that of the repository around it.
	for parent := filepath.Dir(r.Dir); ; parent = filepath.Dir(parent) {
		if modules := filepath.Join(parent, ".git", "modules"); dir != modules && Covers(modules, dir) {
			return []Path{{dir, "the submodule's git folder"}}
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

// readLink returns the path that a small file of git's holds after a prefix, or "" if there is none. It is
// relative to dir.
func readLink(file, prefix, dir string) string {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLink {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// sameFile reports whether two paths are of one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
