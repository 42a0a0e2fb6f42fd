package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mulligan/internal/gitfolder"
)

// forgetMerge ends a merge, cherry-pick or revert that the agent had begun, as git's own commit and reset do.
func (w *Workspace) forgetMerge() {
	for _, name := range []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		err := os.Remove(filepath.Join(w.root.git, name))
		if err != nil && !os.IsNotExist(err) {
			w.log(fmt.Sprintf("%s of a merge that is over could not be removed: %v", name, err))
		}
	}
}

// indexTries and indexPause bound the wait for an index that another git has locked.
const (
	indexTries = 5
	indexPause = 100 * time.Millisecond
)

// resetIndex makes the user's index that of a commit, without touching files. The commit and the files
// are in place already, so that a failure is only logged.
func (w *Workspace) resetIndex(ctx context.Context, commit string) {
	w.dropOddIndex()
	if w.writePlainIndex(ctx, commit) {
		return
	}
	err := w.readTree(ctx, commit)
	// Git has no exit code of its own for a locked index, and the lock may be gone when we look for it:
	// so every failure is tried again, and the lock's file only decides whether to wait before.
	for range indexTries {
		if err == nil || ctx.Err() != nil {
			break
		}
		if _, locked := os.Lstat(filepath.Join(w.root.git, "index.lock")); locked == nil {
			select {
			case <-ctx.Done():
			case <-time.After(indexPause):
			}
		}
		err = w.readTree(ctx, commit)
	}
	if err != nil && ctx.Err() == nil && w.dropDamagedIndex(ctx) {
		err = w.readTree(ctx, commit)
	}
	if err != nil {
		w.log(fmt.Sprintf("git's index could not be brought up to date; when no git is running, `git reset` does it: %v", err))
		return
	}
	// Its exit code tells whether files differ from the index, which does not matter.
	_, _ = w.git.run(ctx, "update-index", "-q", "--refresh")
}

// readTree makes git's index that of a commit, or empty if commit is "".
func (w *Workspace) readTree(ctx context.Context, commit string) error {
	args := []string{"read-tree", "--reset", commit}
	if commit == "" {
		args = []string{"read-tree", "--empty"}
	}
	_, err := w.git.run(ctx, args...)
	return err
}

// dropOddIndex removes what is in the place of git's index and is no file: everything in the index is in the
// commit and the files too.
func (w *Workspace) dropOddIndex() {
	path := filepath.Join(w.root.git, "index")
	if err := gitfolder.CheckFile(path); err != nil {
		w.log(fmt.Sprintf("%v; the index is made anew", err))
		_ = os.RemoveAll(path) // git reports it if it is still there
	}
}

// dropDamagedIndex removes an index that git cannot read, and reports whether it has. Everything in the
// index is in the commit and the files too.
func (w *Workspace) dropDamagedIndex(ctx context.Context) bool {
	if _, err := w.git.run(ctx, "ls-files", "-z"); exitCode(err) <= 0 {
		return false // git can read it, or did not run to its end
	}
	w.log("git's index was damaged, and is made anew")
	return os.Remove(filepath.Join(w.root.git, "index")) == nil
}
