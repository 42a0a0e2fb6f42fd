package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mulligan/internal/gitfolder"
)

// ErrUnborn means that a branch has no commit yet.
var ErrUnborn = errors.New("the branch has no commit yet; make a first commit")

const headsPrefix = "refs/heads/"

// Head returns the branch and the commit of HEAD. branch is "" if HEAD is detached.
func (w *Workspace) Head(ctx context.Context) (branch, commit string, err error) {
	ref, commit, err := w.currentHead(ctx)
	if err != nil {
		return "", "", err
	}
	branch = strings.TrimPrefix(ref, headsPrefix)
	if commit == "" {
		return branch, "", ErrUnborn
	}
	return branch, commit, nil
}

// currentHead returns the ref that HEAD names ("" if detached) and its commit ("" if unborn). It is
// called after every turn, so it reads the files and starts no process.
func (w *Workspace) currentHead(ctx context.Context) (ref, commit string, err error) {
	if w.root.hasReftable() {
		return w.askGitForHead(ctx)
	}
	return readHead(w.root.git, w.root.common)
}

// askGitForHead is currentHead for a repository whose refs are not files that we can read.
func (w *Workspace) askGitForHead(ctx context.Context) (ref, commit string, err error) {
	ref, err = w.refs.line(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return "", "", err
	}
	commit, err = w.refs.line(ctx, "rev-parse", "-q", "--verify", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return "", "", err
	}
	return ref, commit, nil
}

// Tip returns the commit of the branch that commits go to, and whether HEAD is on it. Without such a
// branch that is HEAD.
func (w *Workspace) Tip(ctx context.Context) (commit string, onBranch bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ref, head, err := w.currentHead(ctx)
	if err != nil || w.branch == "" || ref == headsPrefix+w.branch {
		return head, true, err
	}
	commit, err = w.branchCommit(ctx, headsPrefix+w.branch)
	return commit, false, err
}

// MadeSince reports whether the branch's log tells that it was made at t or later.
func (w *Workspace) MadeSince(branch string, t time.Time) bool {
	if branch == "" {
		return false
	}
	log, err := gitfolder.OpenFile(filepath.Join(w.root.common, "logs", filepath.FromSlash(headsPrefix+branch)))
	if err != nil {
		return false
	}
	defer log.Close()
	// "OLD NEW NAME <MAIL> SECONDS ZONE\tWHY"
	first, _ := bufio.NewReader(log).ReadString('\n')
	_, after, _ := strings.Cut(first, "> ")
	seconds, _, _ := strings.Cut(after, " ")
	made, err := strconv.ParseInt(seconds, 10, 64)
	return err == nil && made >= t.Unix()
}

// branchCommit returns the commit of a ref, or "" if the ref does not exist.
func (w *Workspace) branchCommit(ctx context.Context, ref string) (string, error) {
	if !w.root.hasReftable() {
		value, err := readRef(w.root.git, w.root.common, ref)
		if err != nil || !strings.HasPrefix(value, "ref:") {
			return value, err
		}
	}
	commit, err := w.refs.line(ctx, "rev-parse", "-q", "--verify", ref)
	if err != nil && exitCode(err) == 1 {
		return "", nil
	}
	return commit, err
}

// moveHead puts a branch on a commit, and HEAD on the branch. If ref is "", it detaches HEAD at the commit.
func (w *Workspace) moveHead(ctx context.Context, ref, commit, why string) error {
	now, head, err := w.currentHead(ctx)
	if err != nil {
		return err
	}
	if ref == "" {
		if now == "" && head == commit {
			return nil
		}
		return w.changeHead(ctx, "update-ref", "--no-deref", "-m", why, "HEAD", commit)
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
		// A branch that was made a symbolic ref becomes one of its own again: what it named stays.
		if _, err := w.refs.run(ctx, "update-ref", "--no-deref", "-m", why, ref, commit, old); err != nil {
			return err
		}
	}
	if now == ref {
		return nil
	}
	return w.switchHead(ctx, ref, why)
}

// changeHead runs a git command that changes HEAD.
func (w *Workspace) changeHead(ctx context.Context, args ...string) error {
	_, err := w.refs.run(ctx, args...)
	if err == nil && w.refs.folder != nil {
		err = w.refs.folder.WriteHead()
	}
	return err
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// readHead returns the ref and the commit of HEAD in a git folder.
func readHead(git, common string) (ref, commit string, err error) {
	text, err := gitfolder.ReadFile(filepath.Join(git, "HEAD"))
	if err != nil {
		return "", "", fmt.Errorf("cannot read HEAD: %w", err)
	}
	value := strings.TrimSpace(string(text))
	// A symbolic ref may name another one; git follows five.
	for range 5 {
		name, ok := strings.CutPrefix(value, "ref:")
		if !ok {
			return ref, value, nil
		}
		ref = strings.TrimSpace(name)
		if value, err = readRef(git, common, ref); err != nil {
			return "", "", err
		}
	}
	return "", "", fmt.Errorf("HEAD of %s names a ring of symbolic refs", git)
}

// readRef returns the value of a ref, or "" if the ref does not exist.
func readRef(git, common, ref string) (string, error) {
	folder := common
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(ref, own) {
			folder = git
		}
	}
	text, err := gitfolder.ReadFile(filepath.Join(folder, filepath.FromSlash(ref)))
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	// A folder in the ref's place once held other refs, which are packed now.
	if !isGone(err) && !isFolder(filepath.Join(folder, ref)) {
		return "", err
	}
	return readPackedRef(common, ref)
}

// readPackedRef is readRef for the file packed-refs.
func readPackedRef(common, ref string) (string, error) {
	text, err := gitfolder.ReadFile(filepath.Join(common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if id, name, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " "); ok && name == ref {
			return id, nil
		}
	}
	return "", nil
}
