package setup

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxLocalFile  = 1 << 20 // bytes of one local file
	maxLocalBytes = 8 << 20 // bytes of all together
	maxLocalFiles = 200

	localDepth   = 3     // how deep an ignored folder is looked into
	maxLocalSeen = 5_000 // how many names in ignored folders are looked at
)

// ListLocal returns the local files that a clone needs: of the paths that git ignores in the checkout, relative
// and folders with a trailing slash, the files of environment variables and the agents' own local ones. Those
// that lie less deep come first. It leaves out links, what is not a regular file, what is larger than 1 MiB, and
// what is more than 200 files or 8 MiB together.
func ListLocal(root string, ignored []string) []string {
	top, ok := openFolder(root)
	if !ok {
		return nil
	}
	lister := localLister{top: top}
	for _, name := range ignored {
		if strings.HasSuffix(name, "/") {
			lister.addFolder(path.Clean(name), 0)
		} else {
			lister.addFile(name)
		}
	}
	return lister.choose()
}

// A localLister collects the local files of a checkout.
type localLister struct {
	top   folder
	names []string
	seen  int // names in ignored folders
}

func (l *localLister) addFile(name string) {
	if isLocalFile(name) && !hasPart(path.Dir(name), isInstalled) {
		l.names = append(l.names, name)
	}
}

// addFolder adds the files of a folder that git ignores as a whole.
func (l *localLister) addFolder(name string, depth int) {
	below := l.top.at(name)
	if depth > localDepth || !filepath.IsLocal(filepath.FromSlash(name)) || !below.isPlain() || below.isForeign() ||
		hasPart(name, isInstalled) || isBuilt(path.Base(name)) {
		return
	}
	for _, e := range below.list() {
		if l.seen++; l.seen > maxLocalSeen {
			return
		}
		if inside := path.Join(name, e.Name()); e.IsDir() {
			l.addFolder(inside, depth+1)
		} else {
			l.addFile(inside)
		}
	}
}

// hasPart reports whether is holds for a folder of a path.
func hasPart(name string, is func(string) bool) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), is)
}

// choose returns the collected files within the bounds.
func (l *localLister) choose() []string {
	slices.SortFunc(l.names, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	var chosen []string
	left := int64(maxLocalBytes)
	for _, name := range slices.Compact(l.names) {
		info, ok := l.top.stat(name)
		if !ok || !info.Mode().IsRegular() || !l.top.at(name).isPlain() || info.Size() > min(maxLocalFile, left) {
			continue
		}
		if len(chosen) == maxLocalFiles {
			break
		}
		chosen = append(chosen, name)
		left -= info.Size()
	}
	return chosen
}

// isLocalFile reports whether a path is that of environment variables or of an agent's local settings.
func isLocalFile(name string) bool {
	dir, base := path.Split(name)
	if strings.HasPrefix(base, ".env") {
		return true
	}
	switch base {
	case "CLAUDE.local.md", "AGENTS.local.md", "AGENTS.override.md", "GEMINI.local.md", ".mcp.local.json":
		return true
	}
	switch path.Base(dir) {
	case ".claude", ".codex", ".gemini", ".opencode", ".cursor":
		return strings.Contains(base, ".local.")
	}
	return false
}
