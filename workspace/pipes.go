package workspace

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mulligan"
)

// pipeWait is how long a git may run in a clone before the clone is searched for pipes that the git may be waiting at.
const pipeWait = time.Second

// A pipeWatch ends the wait of a git that has come to a pipe in the place of a file that it reads, such as .gitignore.
type pipeWatch struct {
	dir     string // the clone
	mu      sync.Mutex
	removed []string
}

// start searches the clone while a git works in it, until stop is called. A git that is quick is not disturbed.
func (w *pipeWatch) start() (stop func()) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for pause := pipeWait; ; pause *= 2 {
			select {
			case <-done:
				return
			case <-time.After(pause):
				w.search(done)
			}
		}
	})
	return func() { close(done); wait.Wait() }
}

// search removes the pipes that git would read.
func (w *pipeWatch) search(done <-chan struct{}) {
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return
	}
	defer root.Close()
	// What cannot be read here, git cannot read either.
	_ = fs.WalkDir(root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		select {
		case <-done:
			return fs.SkipAll
		default:
		}
		switch {
		case at == ".git" && d != nil && d.IsDir():
			return fs.SkipDir // no git of ours reads it
		case err == nil && d.Type() == fs.ModeNamedPipe && isReadByGit(at):
			w.remove(root, at)
		}
		return nil
	})
}

// remove removes a pipe, so that a git that waits for a writer there reads its end.
func (w *pipeWatch) remove(root *os.Root, at string) {
	pipe, err := root.OpenFile(at, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer pipe.Close() // only once it is removed: a git that comes to it before does not wait either
	if st, err := pipe.Stat(); err == nil && st.Mode().Type() == fs.ModeNamedPipe && root.Remove(at) == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.removed = append(w.removed, at)
	}
}

// isReadByGit reports whether git reads a file at a path of a checkout: of its rules, or of a nested repository.
func isReadByGit(at string) bool {
	switch path.Base(at) {
	case ".gitignore", ".gitattributes", ".gitmodules":
		return true
	}
	return slices.Contains(strings.Split(at, "/"), ".git")
}

// listRemoved lists the pipes that were removed.
func (w *pipeWatch) listRemoved() []mulligan.Lack {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lacks []mulligan.Lack
	for _, at := range w.removed {
		lacks = append(lacks, mulligan.Lack{Path: at, Why: "it was a pipe where git reads a file, and was removed"})
	}
	return lacks
}
