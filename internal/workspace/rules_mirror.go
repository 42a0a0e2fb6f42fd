package workspace

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mulligan/internal/gitfolder"
)

// hasOddIgnoreFile reports whether a .gitignore that rules one of the paths is no file: git would wait for a
// fifo.
func (r *rules) hasOddIgnoreFile(paths []string) bool {
	looked := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); !looked[dir]; dir = path.Dir(dir) {
			looked[dir] = true
			st, err := os.Lstat(filepath.Join(r.root.Dir, filepath.FromSlash(dir), ignoreFile))
			if err == nil && blocksReader(st.Mode()) {
				return true
			}
		}
	}
	return false
}

// hasIgnoreRules reports whether there may be a rule that ignores one of the paths: a line of the clone's or the user's
// own excludes, or a .gitignore above it, whatever that is.
func (r *rules) hasIgnoreRules(paths []string) bool {
	if frozen := r.git.folder.Frozen(); hasRules(frozen.Excludes) || hasRules(frozen.InfoExclude) {
		return true
	}
	looked := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); !looked[dir]; dir = path.Dir(dir) {
			looked[dir] = true
			if _, err := os.Lstat(filepath.Join(r.root.Dir, filepath.FromSlash(dir), ignoreFile)); !isGone(err) {
				return true
			}
		}
	}
	return false
}

// hasRules reports whether a file of rules has more than comments.
func hasRules(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}

// mirrorRules makes a folder with the .gitignore files that rule the paths, as far as they are files, and the
// paths themselves, empty. It returns a git that works there, and a function that removes it.
func (r *rules) mirrorRules(g git, paths []string) (git, func(), error) {
	dir, err := os.MkdirTemp(r.git.folder.Dir(), "mirror-")
	if err != nil {
		return git{}, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) } // the next Open removes what is left
	for _, p := range paths {
		if err := r.mirrorPath(dir, p); err != nil {
			remove()
			return git{}, nil, err
		}
	}
	g = g.withEnv("GIT_WORK_TREE=" + dir)
	g.dir, g.tree = dir, dir
	return g, remove, nil
}

// mirrorPath makes an empty file or folder like the one of the checkout, and copies the rules above it.
func (r *rules) mirrorPath(dir, p string) error {
	for _, above := range append([]string{"."}, parentFolders(p)...) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(above)), 0o700); err != nil {
			return err
		}
		name := filepath.Join(filepath.FromSlash(above), ignoreFile)
		from := filepath.Join(r.root.Dir, name)
		if st, err := os.Lstat(from); err != nil || !st.Mode().IsRegular() {
			continue
		}
		text, err := gitfolder.ReadFile(from)
		if err != nil {
			continue // git too goes on without it
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	full := filepath.Join(dir, filepath.FromSlash(p))
	st, err := os.Lstat(filepath.Join(r.root.Dir, filepath.FromSlash(p)))
	switch {
	case err != nil || path.Base(p) == ignoreFile:
		return nil
	case st.IsDir():
		return os.MkdirAll(full, 0o700)
	case st.Mode()&fs.ModeSymlink != 0:
		return os.Symlink("nowhere", full)
	}
	return os.WriteFile(full, nil, 0o600)
}

// lookForOddRules notes the files of rules beside tracked files that are no files, so that no git that would
// read them is started.
func (w *Workspace) lookForOddRules(ctx context.Context) error {
	w.lock()
	defer w.mu.Unlock()
	return w.lookForOddRulesLocked(ctx)
}

// lookForOddRulesLocked is lookForOddRules. It must be called with w.mu held.
func (w *Workspace) lookForOddRulesLocked(ctx context.Context) error {
	if err := w.scan.rules.refresh(ctx); err != nil {
		return err
	}
	for dir := range w.scan.rules.folders {
		for _, name := range []string{ignoreFile, attributesFile} {
			p := path.Join(dir, name)
			if st, err := os.Lstat(w.fullPath(p)); err == nil && blocksReader(st.Mode()) {
				w.scan.odd.add(p)
			}
		}
	}
	return nil
}

// oddRules are the files of rules that a walk found to be no files. It is safe for concurrent use.
type oddRules struct {
	mu    sync.Mutex
	paths map[string]bool
}

// add notes a path if it is that of a file of rules.
func (o *oddRules) add(p string) {
	if name := path.Base(p); name != ignoreFile && name != attributesFile {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.paths == nil {
		o.paths = make(map[string]bool)
	}
	o.paths[p] = true
}

// list returns the paths so far. What was put right meanwhile is among them.
func (o *oddRules) list() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.paths))
}
