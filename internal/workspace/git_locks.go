package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mulligan/internal/process"
)

// staleLockWait is how long a lock of git's has to stay unchanged to count as left behind.
const staleLockWait = 500 * time.Millisecond

// A GitBusyError is a lock of git's beside a git that is running in the repository, such as one
// whose editor is open.
type GitBusyError struct {
	Lock string
	PID  int
}

func (e *GitBusyError) Error() string {
	return fmt.Sprintf("git, process %d, is at work in the repository, and %s may be its lock", e.PID, e.Lock)
}

// DropLocks removes the locks that a killed git has left in the repository, and which would stop
// every later one. It is for a workspace whose old processes have ended. If another git is running
// in the repository, the lock may be its own: the error is a *GitBusyError.
func (w *Workspace) DropLocks(ctx context.Context) error { return w.dropLocks(ctx, w.findGitLocks()) }

// dropOwnLocks removes those locks that would stop the next commit here, and which a turn has left. A git that is at
// work in the checkout keeps its own.
func (w *Workspace) dropOwnLocks(ctx context.Context) error {
	found := make(map[string]fs.FileInfo)
	for _, file := range []string{
		filepath.Join(w.root.git, "index"), filepath.Join(w.root.git, "HEAD"), filepath.Join(w.root.common, "packed-refs"),
		filepath.Join(w.root.common, filepath.FromSlash(headsPrefix+w.branch)),
	} {
		if st, err := os.Lstat(file + ".lock"); err == nil && st.Mode().IsRegular() {
			found[file+".lock"] = st
		}
	}
	err := w.dropLocks(ctx, found)
	if _, busy := errors.AsType[*GitBusyError](err); busy {
		return nil
	}
	return err
}

// dropLocks is DropLocks for the given locks.
func (w *Workspace) dropLocks(ctx context.Context, found map[string]fs.FileInfo) error {
	if len(found) == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(staleLockWait): // a git of the user's own ends meanwhile
	}
	for path, was := range found {
		st, err := os.Lstat(path)
		if err != nil || !os.SameFile(st, was) || !st.ModTime().Equal(was.ModTime()) {
			continue
		}
		if others := process.FindInFolder("git", w.root.Dir); len(others) > 0 {
			return &GitBusyError{Lock: path, PID: others[0]}
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		w.log(fmt.Sprintf("%s, left by a git that was killed, is removed", path))
	}
	return nil
}

// findGitLocks returns git's locks by path: beside the files that they are for, and among the refs.
func (w *Workspace) findGitLocks() map[string]fs.FileInfo {
	found := make(map[string]fs.FileInfo)
	for _, folder := range []string{w.root.git, w.root.common} {
		paths, _ := filepath.Glob(filepath.Join(folder, "*.lock")) // fails for a bad pattern only
		for _, path := range paths {
			if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
				found[path] = st
			}
		}
	}
	// A folder that cannot be read has no lock that we could remove.
	_ = filepath.WalkDir(filepath.Join(w.root.common, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".lock" {
			if st, err := d.Info(); err == nil {
				found[path] = st
			}
		}
		return nil
	})
	return found
}
