// Package gitfiles remembers the files of a repository's own git folder before an agent's turn, compares them
// afterwards, and puts back what starts programs or hides files. It starts no git on the repository.
package gitfiles

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Repo is where a checkout has its git files.
type Repo struct {
	Dir    string `json:"dir"`    // the checkout
	Git    string `json:"git"`    // its git folder
	Common string `json:"common"` // the git folder that all its worktrees share
}

// A Memory is what a repository's git folder had.
type Memory struct {
	Repo    Repo   `json:"repo"`
	Session string `json:"session"`
	// Entries are the files that git reads and the folders that they are in, by their absolute paths.
	Entries map[string]entry `json:"entries"`
	// Links are the links in the git folder besides.
	Links []string `json:"links,omitempty"`
	// Modules are the git folders of submodules.
	Modules []string `json:"modules,omitempty"`
	// Refs are the branches, and what else is guarded, by name.
	Refs Refs `json:"refs,omitempty"`
	// Flagged are the tracked files that flags of the index hide.
	Flagged []string `json:"flagged,omitempty"`
	// Index is set if there was an index.
	Index bool `json:"index,omitempty"`
	// Branch is the session's branch, "" if it has none.
	Branch string `json:"branch,omitempty"`

	reader *FolderReader
}

// watchedFiles are the files of a git folder whose content matters.
var watchedFiles = []string{
	"HEAD", "config", "config.worktree", "commondir", "gitdir", "packed-refs",
	"info/attributes", "info/exclude", "info/sparse-checkout", "info/grafts",
	"objects/info/alternates", "objects/info/http-alternates",
}

// watchedFolders are the folders of a git folder that have to be folders. An outer one comes before those in it.
var watchedFolders = []string{".", "info", "hooks", "objects", "objects/info", "objects/pack", "refs", "refs/heads", "logs", "logs/refs", "logs/refs/heads"}

// Look returns what the git folder has now. Refs and flags are for the caller to add. folders may be nil.
func Look(r Repo, session string, folders *FolderReader) *Memory {
	m := &Memory{Repo: r, Session: session, Entries: make(map[string]entry), reader: folders}
	m.add(filepath.Join(r.Dir, ".git"))
	m.Modules = findModules(r.Common)
	for _, git := range m.folders() {
		for _, name := range watchedFolders {
			m.add(filepath.Join(git, name))
		}
		for _, name := range watchedFiles {
			m.add(filepath.Join(git, name))
		}
		m.addHooks(git)
	}
	m.Links = findLinks(folders, m.folders())
	m.Index = m.HasIndex()
	return m
}

// folders returns the git folders: the checkout's, the common one, and those of submodules.
func (m *Memory) folders() []string {
	all := append([]string{m.Repo.Git, m.Repo.Common}, m.Modules...)
	if m.Repo.Git == m.Repo.Common {
		all = all[1:]
	}
	return all
}

// HasIndex reports whether the checkout has an index now.
func (m *Memory) HasIndex() bool {
	_, err := os.Lstat(filepath.Join(m.Repo.Git, "index"))
	return err == nil
}

func (m *Memory) add(path string) {
	if e := readEntry(path); e.Kind != absent {
		m.Entries[path] = e
	}
}

// addHooks adds the hooks of a git folder. A folder of hooks that is a link belongs to what it leads to.
func (m *Memory) addHooks(git string) {
	for _, name := range listHooks(git) {
		m.add(filepath.Join(git, "hooks", name))
	}
}

// listHooks returns the names in the hooks folder, without git's samples.
func listHooks(git string) []string {
	dir := filepath.Join(git, "hooks")
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	entries, _ := os.ReadDir(dir) // one that cannot be read starts nothing
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") {
			names = append(names, e.Name())
		}
	}
	return names
}

// maxModules bounds the submodules that are looked at.
const maxModules = 1000

// findModules returns the git folders of submodules, nested ones too.
func findModules(common string) []string {
	var found []string
	root := filepath.Join(common, "modules")
	// A folder that cannot be read has no module that git could read.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir() || path == root:
			return nil
		case len(found) >= maxModules:
			return fs.SkipAll
		}
		if _, err := os.Lstat(filepath.Join(path, "HEAD")); err != nil {
			return nil // the first part of a name with slashes
		}
		found = append(found, path)
		found = append(found, findModules(path)...)
		return fs.SkipDir
	})
	return found
}

// Encode returns the memory as Decode takes it.
func (m *Memory) Encode() ([]byte, error) { return json.Marshal(m) }

// Decode returns the memory of what Encode returned, or nil if the data is none.
func Decode(data []byte) *Memory {
	m := new(Memory)
	if err := json.Unmarshal(data, m); err != nil || m.Repo.Git == "" {
		return nil
	}
	return m
}
