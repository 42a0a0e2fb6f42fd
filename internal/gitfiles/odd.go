package gitfiles

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// monitorSocket is where git's own file system monitor listens.
const monitorSocket = "fsmonitor--daemon.ipc"

// ownNames are the names at the top of a git folder that git itself reads. Other programs may have links there.
var ownNames = []string{
	"HEAD", "index", "config", "config.worktree", "packed-refs", "shallow", "commondir", "gitdir", "description",
	"refs", "logs", "objects", "info", "hooks", "modules", "worktrees",
}

// isOwnName reports whether git reads the name at the top of a git folder.
func isOwnName(name string) bool {
	return slices.Contains(ownNames, name) || strings.HasSuffix(name, "_HEAD") || strings.HasSuffix(name, "_MSG") || strings.HasSuffix(name, "_MODE")
}

// walkOdd calls found for everything in a git folder that is neither a file nor a folder. It reads names and
// types alone.
func walkOdd(git string, found func(path string, link bool)) {
	visit := func(dir string, d fs.DirEntry) {
		if t := d.Type(); !t.IsRegular() && !t.IsDir() {
			found(filepath.Join(dir, d.Name()), t == fs.ModeSymlink)
		}
	}
	list := func(dir string) []fs.DirEntry {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return nil // a link there is found in the folder that it is in
		}
		entries, _ := os.ReadDir(dir)
		for _, d := range entries {
			visit(dir, d)
		}
		return entries
	}
	list(git)
	list(filepath.Join(git, "info"))
	list(filepath.Join(git, "hooks"))
	for _, d := range list(filepath.Join(git, "objects")) {
		if d.IsDir() {
			list(filepath.Join(git, "objects", d.Name()))
		}
	}
	for _, top := range []string{"refs", "logs"} {
		// What cannot be read is not read by git either.
		_ = filepath.WalkDir(filepath.Join(git, top), func(path string, d fs.DirEntry, err error) error {
			if err == nil && path != filepath.Join(git, top) {
				visit(filepath.Dir(path), d)
			}
			return nil
		})
	}
}

// findLinks returns the links in git folders.
func findLinks(folders []string) []string {
	var links []string
	for _, git := range folders {
		walkOdd(git, func(path string, isLink bool) {
			if isLink {
				links = append(links, path)
			}
		})
	}
	return links
}

// findOdd returns what has taken the place of files in a git folder: fifos, sockets, devices, and links that were
// not there before.
func (m *Memory) findOdd(git string) []string {
	var all []string
	walkOdd(git, func(path string, isLink bool) {
		top := filepath.Dir(path) == git
		switch {
		case !isLink && top && filepath.Base(path) == monitorSocket:
		case !isLink:
			all = append(all, path)
		case slices.Contains(m.Links, path):
			if !leadsToFile(path) {
				all = append(all, path)
			}
		case top && !isOwnName(filepath.Base(path)):
			// another program's
		case strings.HasPrefix(path, filepath.Join(git, "objects")+string(filepath.Separator)) && leadsToFile(path):
			// tools share objects so
		default:
			all = append(all, path)
		}
	})
	return all
}

// leadsToFile reports whether a link leads to a file or a folder, or nowhere.
func leadsToFile(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}
