package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/regular"
)

// ErrNoRepository means that a folder is not inside a git repository.
var ErrNoRepository = errors.New("not inside a git repository")

// A Root is a git checkout: the main one of its repository, or a linked worktree.
type Root struct {
	Dir    string // the top level, absolute, links resolved
	git    string // its git folder: HEAD and the index are here
	common string // the git folder that all worktrees share: refs, objects, config
}

// Find returns the checkout that holds dir. It starts no process.
func Find(dir string) (Root, error) {
	top, err := filepath.Abs(dir)
	if err != nil {
		return Root{}, err
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return Root{}, err
	}
	for at := top; ; at = filepath.Dir(at) {
		if git, ok := findGitFolder(at); ok {
			return Root{Dir: at, git: git, common: commonFolder(git)}, nil
		}
		if at == filepath.Dir(at) {
			return Root{}, fmt.Errorf("%s: %w", top, ErrNoRepository)
		}
	}
}

// Repository returns the folder that stands for the repository: the main checkout, also for one that
// `git worktree add` made, or the git folder of a repository without one.
func (r Root) Repository() string {
	if r.git == r.common {
		return r.Dir
	}
	common := r.common
	if resolved, err := filepath.EvalSymlinks(common); err == nil {
		common = resolved
	}
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}

// maxLinkFile is the size of the largest file that is read as one that names a git folder.
const maxLinkFile = 1 << 16

// findGitFolder returns the git folder of the checkout whose top level is top, and whether there is one.
// A .git that leads nowhere does not count: git itself ignores it too.
func findGitFolder(top string) (string, bool) {
	dot := filepath.Join(top, ".git")
	st, err := os.Stat(dot)
	if err != nil {
		return "", false
	}
	if st.IsDir() {
		return dot, hasHead(dot)
	}
	text, err := regular.ReadFile(dot, maxLinkFile)
	path, ok := strings.CutPrefix(string(text), "gitdir: ")
	if err != nil || !ok {
		return "", false
	}
	git := resolveFrom(top, strings.TrimRight(path, "\r\n"))
	return git, hasHead(git)
}

// hasHead reports whether a folder is a complete git folder.
func hasHead(git string) bool {
	_, err := os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}

// commonFolder returns the git folder that all worktrees of the repository share: git itself, except
// for a linked worktree.
func commonFolder(git string) string {
	text, err := regular.ReadFile(filepath.Join(git, "commondir"), maxLinkFile)
	if err != nil {
		return git
	}
	return resolveFrom(git, string(bytes.TrimRight(text, "\r\n")))
}

// resolveFrom returns path, relative to base if it is not absolute.
func resolveFrom(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
