package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
)

// A commitObject is what we read of a commit.
type commitObject struct {
	tree    string
	parents []string
	message string
}

func (w *Workspace) readCommit(ctx context.Context, id string) (commitObject, error) {
	data, err := w.objects.readObject(ctx, id)
	if err != nil {
		return commitObject{}, err
	}
	c := parseCommit(string(data))
	if c.tree == "" {
		return commitObject{}, fmt.Errorf("%s is not a commit", id)
	}
	return c, nil
}

func parseCommit(text string) commitObject {
	var c commitObject
	head, message, _ := strings.Cut(text, "\n\n")
	c.message = message
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		}
	}
	return c
}

// findMadeBefore is the commit at the branch's end, where it is the one that c describes.
func (w *Workspace) findMadeBefore(ctx context.Context, c mulligan.Commit, tree string) (string, error) {
	_, head, err := w.currentHead(ctx)
	if err != nil || head == "" {
		return "", err
	}
	had, err := w.readCommit(ctx, head)
	if err != nil {
		return "", err
	}
	sameParent := strings.Join(had.parents, " ") == c.Parent
	if had.tree == tree && sameParent && strings.TrimRight(had.message, "\n") == strings.TrimRight(c.Message, "\n") {
		return head, nil
	}
	return "", nil
}

// moveHead puts a branch, or a detached HEAD where ref is "", on a commit, and HEAD on that.
func (w *Workspace) moveHead(ctx context.Context, ref, commit, why string) error {
	now, head, err := w.currentHead(ctx)
	if err != nil {
		return err
	}
	if ref == "" {
		if now == "" && head == commit {
			return nil
		}
		_, err := w.git.run(ctx, "update-ref", "--no-deref", "-m", why, "HEAD", commit)
		return err
	}
	old := head
	if now != ref {
		if old, err = w.branchCommit(ctx, ref); err != nil {
			return err
		}
	}
	if old != commit {
		if old == "" {
			old = strings.Repeat("0", len(commit))
		}
		if _, err := w.git.run(ctx, "update-ref", "-m", why, ref, commit, old); err != nil {
			return err
		}
	}
	if now == ref {
		return nil
	}
	_, err = w.git.run(ctx, "symbolic-ref", "-m", why, "HEAD", ref)
	return err
}

// forgetMerge ends what a commit or a reset ends: a merge that the agent had begun.
func (w *Workspace) forgetMerge() {
	for _, name := range []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		err := os.Remove(filepath.Join(w.root.git, name))
		if err != nil && !os.IsNotExist(err) {
			w.log(fmt.Sprintf("%s of a merge that is over could not be removed: %v", name, err))
		}
	}
}

// How often, and how far apart, an index that another git has locked is tried.
const (
	indexTries = 5
	indexPause = 100 * time.Millisecond
)

// resetIndex makes the user's index that of a commit, without touching files. The commit or
// the files are right already, so that a failure is only told.
func (w *Workspace) resetIndex(ctx context.Context, commit string) {
	err := w.readTree(ctx, commit)
	for range indexTries {
		if err == nil || !strings.Contains(err.Error(), "index.lock") {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(indexPause):
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
	// It says by its exit that files differ, which is none of our concern.
	_, _ = w.git.run(ctx, "update-index", "-q", "--refresh")
}

func (w *Workspace) readTree(ctx context.Context, commit string) error {
	args := []string{"read-tree", "--reset", commit}
	if commit == "" {
		args = []string{"read-tree", "--empty"}
	}
	_, err := w.git.run(ctx, args...)
	return err
}

// dropDamagedIndex removes an index that git cannot read: all that it holds is in the commit
// and the files.
func (w *Workspace) dropDamagedIndex(ctx context.Context) bool {
	if _, err := w.git.run(ctx, "ls-files", "-z"); exitCode(err) <= 0 {
		return false // it can, or a git that was ended, or did not begin, has not told
	}
	w.log("git's index was damaged, and is made anew")
	return os.Remove(filepath.Join(w.root.git, "index")) == nil
}
