package setup

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"mulligan/internal/regular"
)

const (
	maxFile    = 1 << 20 // the most that is read of one file
	maxEntries = 20_000  // the most that is read of one folder
	maxFolders = 2_000   // the most folders that are looked at for projects

	ownDepth    = 2 // how deep a folder with an installation of its own lies below the root, at most
	memberDepth = 4 // how deep the package of a workspace lies, at most
)

// A folder is one of a checkout.
type folder struct {
	given string // the root's absolute path as the caller has it, which what is installed there may name
	root  string // the same without links
	name  string // relative to the root, with slashes; "": the root
	// entries are what is in the folder, sorted by name, or nil if that has not been read.
	entries []fs.DirEntry
}

// at returns a folder below this one.
func (f folder) at(name string) folder {
	f.name, f.entries = path.Join(f.name, name), nil
	return f
}

// depth returns how many levels the folder lies below the root.
func (f folder) depth() int {
	if f.name == "" {
		return 0
	}
	return 1 + strings.Count(f.name, "/")
}

// resolve returns the real path of a name in the folder, or false if nothing is there, or if it is outside of
// the checkout.
func (f folder) resolve(name string) (string, bool) {
	if f.lacks(name) {
		return "", false
	}
	local := filepath.FromSlash(path.Join(f.name, name))
	if local != "" && !filepath.IsLocal(local) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(f.root, local))
	if err != nil {
		return "", false
	}
	inside, err := filepath.Rel(f.root, real)
	return real, err == nil && filepath.IsLocal(inside)
}

// lacks reports whether what was read of the folder has nothing on the way to a name.
func (f folder) lacks(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	if f.entries == nil || first == "" {
		return false
	}
	_, found := slices.BinarySearchFunc(f.entries, first, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	return !found
}

func (f folder) stat(name string) (fs.FileInfo, bool) {
	real, ok := f.resolve(name)
	if !ok {
		return nil, false
	}
	info, err := os.Lstat(real)
	return info, err == nil
}

// has reports whether something of that name is there.
func (f folder) has(name string) bool {
	_, ok := f.stat(name)
	return ok
}

func (f folder) hasFile(name string) bool {
	info, ok := f.stat(name)
	return ok && info.Mode().IsRegular()
}

func (f folder) hasFolder(name string) bool {
	info, ok := f.stat(name)
	return ok && info.IsDir()
}

// readFile returns the text of a file, or "" if it cannot be read: it serves a guess.
func (f folder) readFile(name string) string {
	real, ok := f.resolve(name)
	if !ok {
		return ""
	}
	data, _ := regular.ReadFile(real, maxFile)
	return string(data)
}

// readYAML decodes a file. A file that cannot be read leaves the value as it is.
func (f folder) readYAML(name string, into any) (err error) {
	defer func() {
		if caught := recover(); caught != nil { // the parser's own mistakes
			err = fmt.Errorf("read %s: %v", name, caught)
		}
	}()
	return yaml.Unmarshal([]byte(f.readFile(name)), into)
}

// isPlain reports whether something is there that no link leads to.
func (f folder) isPlain() bool {
	real, ok := f.resolve("")
	return ok && real == filepath.Join(f.root, filepath.FromSlash(f.name))
}

// list returns what is in the folder, sorted by name, or nil if it cannot be read.
func (f folder) list() []fs.DirEntry {
	if f.entries != nil {
		return f.entries
	}
	real, ok := f.resolve("")
	if !ok {
		return nil
	}
	return readFolder(real)
}

// readFolder returns what is in a folder, sorted by name, or nil if it cannot be read.
func readFolder(name string) []fs.DirEntry {
	dir, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries)
	if err != nil && err != io.EOF {
		return nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// listBelow returns the folders down to a depth that may hold a project of the repository's own, those of one
// level before those of the next. Links are not followed.
func (f folder) listBelow(depth int) []folder {
	var found []folder
	for level := []folder{f}; len(level) > 0; {
		var next []folder
		for _, in := range level {
			if in.depth() >= depth || len(found)+len(next) >= maxFolders {
				continue
			}
			next = append(next, in.listProjectFolders()...)
		}
		found, level = append(found, next...), next
	}
	return found[:min(len(found), maxFolders)]
}

// listProjectFolders returns the folders in this one that are neither hidden, installed, nor repositories of
// their own.
func (f folder) listProjectFolders() []folder {
	var list []folder
	for _, e := range f.list() {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || isInstalled(e.Name()) || isBuilt(e.Name()) {
			continue
		}
		below := f.at(e.Name())
		if entries := below.list(); len(entries) < maxEntries {
			below.entries = entries
		}
		if !below.isForeign() {
			list = append(list, below)
		}
	}
	return list
}

// isForeign reports whether a folder is an environment of Python, or a repository of its own, which no clone of
// this one has.
func (f folder) isForeign() bool {
	return slices.ContainsFunc([]string{"pyvenv.cfg", ".git"}, func(name string) bool {
		if f.lacks(name) {
			return false
		}
		_, err := os.Lstat(filepath.Join(f.root, filepath.FromSlash(f.name), name))
		return err == nil
	})
}

// isInstalled reports whether folders of that name hold what was installed or cached.
func isInstalled(name string) bool {
	switch name {
	case "node_modules", "bower_components", "jspm_packages", "site-packages", "__pycache__", "venv", "virtualenv", "vendor", "Pods",
		".venv", ".git", ".hg", ".svn", ".jj", ".yarn", ".pnpm-store", ".bundle", ".cache", ".parcel-cache", ".gradle", ".terraform",
		".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".direnv", ".dart_tool":
		return true
	}
	return false
}

// isBuilt reports whether folders of that name, where git ignores them, hold what was built.
func isBuilt(name string) bool {
	switch name {
	case "build", "dist", "out", "target", "deps", "_build", "coverage", "DerivedData",
		".next", ".nuxt", ".output", ".svelte-kit", ".turbo", ".serverless", ".aws-sam":
		return true
	}
	return false
}
