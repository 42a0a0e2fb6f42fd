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
)

// dirtyLines is how many lines Dirty gives at most.
const dirtyLines = 50

// Dirty lists uncommitted work as "M path" lines ("?" for what git does not track), sorted
// by path. A long list is cut, and its last line says so.
func (w *Workspace) Dirty(ctx context.Context) ([]string, error) {
	var (
		out                  []byte
		hidden               []string
		failed, hiddenFailed error
		both                 sync.WaitGroup // git is slow to start, and there is more than one core
	)
	both.Go(func() {
		out, failed = w.git.run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
	})
	both.Go(func() { hidden, hiddenFailed = w.hiddenWork(ctx) })
	both.Wait()
	if err := errors.Join(failed, hiddenFailed); err != nil {
		return nil, err
	}
	var lines []string
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if len(item) > 3 {
			lines = append(lines, strings.TrimSpace(item[:2])[:1]+item[2:])
		}
	}
	lines = append(lines, hidden...)
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	if more := len(lines) - dirtyLines; more > 0 {
		lines = append(lines[:dirtyLines], fmt.Sprintf("… and %d more", more))
	}
	return lines, nil
}

// hiddenWork lists changed files that the user has told git not to look at. A snapshot has
// them as they are, so that a commit would have them, too.
func (w *Workspace) hiddenWork(ctx context.Context) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.scan.rules.refresh(ctx); err != nil {
		return nil, err
	}
	var paths, ids []string
	for path, f := range w.scan.rules.files {
		if !f.hidden && !f.assume {
			continue
		}
		full := filepath.Join(w.root.Dir, filepath.FromSlash(path))
		if st, err := lstat(full); err == nil && st.isRegular() {
			paths, ids = append(paths, path), append(ids, f.id)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	var list bytes.Buffer
	for _, path := range paths {
		list.WriteString(quoted(path) + "\n")
	}
	out, err := w.git.feed(ctx, list.Bytes(), "hash-object", "--stdin-paths")
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

// quoted writes a path as git reads it on a line of its own.
func quoted(path string) string {
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

// plainBranch are names that need not be shown to git to know that it takes them.
var plainBranch = regexp.MustCompile(`^[a-z]+/[a-z0-9-]*[a-z0-9]$`)

// StartBranch makes a branch at HEAD and puts HEAD on it. The files stay as they are.
func (w *Workspace) StartBranch(ctx context.Context, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	ref := headsPrefix + name
	if !plainBranch.MatchString(name) {
		if _, err := w.git.run(ctx, "check-ref-format", ref); err != nil {
			return fmt.Errorf("%q cannot be the name of a branch", name)
		}
	}
	_, head, err := w.head(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return ErrUnborn
	}
	had, err := w.branchCommit(ctx, ref)
	if err != nil {
		return err
	}
	if had != "" {
		return fmt.Errorf("the branch %s exists already", name)
	}
	if err := w.moveHead(ctx, ref, head, "mulligan: start "+name); err != nil {
		return err
	}
	w.branch = name
	return nil
}

// WorkOn says that the session works on the branch that HEAD is on: commits go to it even if
// the agent puts HEAD elsewhere.
func (w *Workspace) WorkOn(branch string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.branch = branch
}

// SwitchTo puts HEAD on a branch and makes the files its own. Uncommitted work is refused.
func (w *Workspace) SwitchTo(ctx context.Context, branch string) error {
	dirty, err := w.Dirty(ctx)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fmt.Errorf("cannot switch to %s: there is uncommitted work (%s)", branch, strings.Join(dirty[:min(3, len(dirty))], ", "))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	ref := headsPrefix + branch
	commit, err := w.branchCommit(ctx, ref)
	if err != nil {
		return err
	}
	if commit == "" {
		return fmt.Errorf("cannot switch to %s: there is no such branch", branch)
	}
	now, head, err := w.head(ctx)
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

// checkOut makes files and index those of a commit, and HEAD name the ref.
func (w *Workspace) checkOut(ctx context.Context, from, to, ref string) error {
	args := []string{"read-tree", "-m", "-u"}
	if from != "" {
		args = append(args, from)
	}
	if _, err := w.git.run(ctx, append(args, to)...); err != nil {
		return err
	}
	return w.moveHead(ctx, ref, to, "mulligan: switch to "+strings.TrimPrefix(ref, headsPrefix))
}
