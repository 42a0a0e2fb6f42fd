package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mulligan"
)

// dirtyLines bounds the lines that Dirty returns.
const dirtyLines = 50

// Dirty lists uncommitted work as "M path" lines ("?" for untracked files, "h" for changed files that git
// was told to skip), sorted by path. If the list is cut, its last line tells how many more there are.
func (w *Workspace) Dirty(ctx context.Context) ([]string, error) {
	if err := w.lookForOddRules(ctx); err != nil {
		return nil, err
	}
	if w.isPlainlyClean(ctx) {
		return nil, nil
	}
	var (
		lines, hidden        []string
		failed, hiddenFailed error
		both                 sync.WaitGroup // git is slow to start, and there is more than one core
	)
	both.Go(func() { lines, failed = w.listStatus(ctx, "normal") })
	both.Go(func() { hidden, hiddenFailed = w.listHiddenWork(ctx) })
	both.Wait()
	if err := errors.Join(failed, hiddenFailed); err != nil {
		return nil, err
	}
	lines = append(lines, hidden...)
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	if more := len(lines) - dirtyLines; more > 0 {
		lines = append(lines[:dirtyLines], fmt.Sprintf("… and %d more", more))
	}
	return lines, nil
}

// listHiddenWork lists changed files that the user has told git to skip. A snapshot has their content,
// so that a commit would have it too.
func (w *Workspace) listHiddenWork(ctx context.Context) ([]string, error) {
	w.lock()
	defer w.mu.Unlock()
	return w.listHiddenLocked(ctx)
}

// listHiddenLocked is listHiddenWork. It must be called with w.mu held.
func (w *Workspace) listHiddenLocked(ctx context.Context) ([]string, error) {
	if err := w.scan.rules.refresh(ctx); err != nil {
		return nil, err
	}
	var (
		paths, ids []string
		list       bytes.Buffer
	)
	for path, f := range w.scan.rules.files {
		if !f.hidden && !f.assume {
			continue
		}
		full := filepath.Join(w.root.Dir, filepath.FromSlash(path))
		if st, err := lstat(full); err == nil && st.isRegular() {
			paths, ids = append(paths, path), append(ids, f.id)
			list.WriteString(quoteForGit(path) + "\n")
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := w.git.runWithInput(ctx, list.Bytes(), "hash-object", "--stdin-paths")
	if err != nil {
		return nil, err
	}
	var lines []string
	for i, id := range strings.Fields(string(out)) {
		if id != ids[i] {
			lines = append(lines, "h "+paths[i])
		}
	}
	return lines, nil
}

// quoteForGit quotes a path as git reads it on a line of its own.
func quoteForGit(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		if c := path[i]; c < ' ' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainBranch matches names that git accepts for a branch, so that it need not be asked.
var plainBranch = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+/[a-z0-9-]*[a-z0-9]$`) })

// Settle puts HEAD on a branch, which it creates if there is none, and the branch on a commit whose files
// are in the checkout already: HEAD's, or one that Carry made of them. If branch is "", HEAD is detached.
// After an interruption it can be called again.
func (w *Workspace) Settle(ctx context.Context, branch, at string) error {
	w.lock()
	defer w.mu.Unlock()
	_, head, err := w.currentHead(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return ErrUnborn
	}
	ref := ""
	if branch != "" {
		ref = headsPrefix + branch
		if err := w.checkBranch(ctx, branch, head, at); err != nil {
			return err
		}
	}
	// The index comes first: as long as HEAD is not moved, Settle is known to be unfinished.
	if head != at {
		w.resetIndex(ctx, at)
	}
	if err := w.moveHead(ctx, ref, at, "mulligan: start "+branch); err != nil {
		return err
	}
	w.branch = branch
	return nil
}

// checkBranch returns an error for a name that git does not accept, and for a branch that exists at
// another commit than head and at.
func (w *Workspace) checkBranch(ctx context.Context, branch, head, at string) error {
	ref := headsPrefix + branch
	if !plainBranch().MatchString(branch) {
		if _, err := w.git.run(ctx, "check-ref-format", ref); err != nil {
			return fmt.Errorf("%q cannot be the name of a branch", branch)
		}
	}
	had, err := w.branchCommit(ctx, ref)
	if err == nil && had != "" && had != head && had != at {
		err = fmt.Errorf("the branch %s exists already, at another commit", branch)
	}
	return err
}

// Holds reports whether the files are those of a commit, with nothing uncommitted.
func (w *Workspace) Holds(ctx context.Context, commit string) (bool, error) {
	w.lock()
	defer w.mu.Unlock()
	c, err := w.readCommit(ctx, commit)
	if err != nil {
		return false, err
	}
	id, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return false, err
	}
	tree, _, err := w.makeUserTree(ctx, id, commit, c.tree)
	if _, refused := errors.AsType[*mulligan.RefusedError](err); refused {
		return false, nil // the commit has nothing that git refuses
	}
	return tree == c.tree, err
}

// IsAt reports whether the files are those of a snapshot.
func (w *Workspace) IsAt(ctx context.Context, tree mulligan.Tree) (bool, error) {
	w.lock()
	defer w.mu.Unlock()
	id, err := w.scan.walkAndFlush(ctx)
	return id == tree.ID, err
}

// SwitchTo puts HEAD on a branch and makes the files the branch's. It returns an error if there is
// uncommitted work.
func (w *Workspace) SwitchTo(ctx context.Context, branch string) error {
	dirty, err := w.Dirty(ctx)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fmt.Errorf("cannot switch to %s: there is uncommitted work (%s)", branch, strings.Join(dirty[:min(3, len(dirty))], ", "))
	}
	w.lock()
	defer w.mu.Unlock()
	ref := headsPrefix + branch
	commit, err := w.branchCommit(ctx, ref)
	if err != nil {
		return err
	}
	if commit == "" {
		return fmt.Errorf("cannot switch to %s: there is no such branch", branch)
	}
	now, head, err := w.currentHead(ctx)
	if err != nil {
		return err
	}
	if now != ref {
		if err := w.checkOut(ctx, head, commit, ref); err != nil {
			return fmt.Errorf("cannot switch to %s: %w", branch, err)
		}
	}
	w.branch = branch
	return nil
}

// checkOut makes files and index those of a commit, and HEAD name the ref. Once begun it ignores the end
// of ctx, or the changed files would look like uncommitted work.
func (w *Workspace) checkOut(ctx context.Context, from, to, ref string) error {
	ctx = context.WithoutCancel(ctx)
	args := []string{"read-tree", "-m", "-u"}
	if from != "" {
		args = append(args, from)
	}
	if _, err := w.git.run(ctx, append(args, to)...); err != nil {
		return err
	}
	return w.moveHead(ctx, ref, to, "mulligan: switch to "+strings.TrimPrefix(ref, headsPrefix))
}
