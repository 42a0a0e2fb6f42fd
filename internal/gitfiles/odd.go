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
func walkOdd(folders *FolderReader, git string, found func(path string, link bool)) {
	visit := func(dir string, it item) {
		if !it.kind.IsRegular() && !it.kind.IsDir() {
			found(filepath.Join(dir, it.name), it.kind == fs.ModeSymlink)
		}
	}
	list := func(dir string) []item {
		items := folders.list(dir, false)
		for _, it := range items {
			visit(dir, it)
		}
		return items
	}
	list(git)
	list(filepath.Join(git, "info"))
	list(filepath.Join(git, "hooks"))
	objects := filepath.Join(git, "objects")
	for _, it := range list(objects) {
		if it.kind.IsDir() {
			list(filepath.Join(objects, it.name))
		}
	}
	// What cannot be read is not read by git either.
	folders.walk(filepath.Join(git, "refs"), visit)
	folders.walk(filepath.Join(git, "logs"), visit)
}

// findLinks returns the links in git folders.
func findLinks(folders *FolderReader, gits []string) []string {
	var links []string
	for _, git := range gits {
		walkOdd(folders, git, func(path string, isLink bool) {
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
	walkOdd(m.reader, git, func(path string, isLink bool) {
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
