package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrUnborn is a branch that has no commit yet.
var ErrUnborn = errors.New("the branch has no commit yet; make a first commit")

const headsPrefix = "refs/heads/"

// Head says where the checkout stands. branch is "" when HEAD is detached.
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

// currentHead reads the ref that HEAD names ("" when detached) and its commit ("" when unborn).
// It is asked after every turn, so it reads the files and starts no process.
func (w *Workspace) currentHead(ctx context.Context) (ref, commit string, err error) {
	if isFolder(filepath.Join(w.root.common, "reftable")) {
		return w.askGitForHead(ctx)
	}
	return readHead(w.root.git, w.root.common)
}

// askGitForHead is for a repository whose refs are not files that we can read.
func (w *Workspace) askGitForHead(ctx context.Context) (ref, commit string, err error) {
	ref, err = w.git.line(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return "", "", err
	}
	commit, err = w.git.line(ctx, "rev-parse", "-q", "--verify", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return "", "", err
	}
	return ref, commit, nil
}

// MadeSince says whether a branch is known to be no older than that.
func (w *Workspace) MadeSince(branch string, t time.Time) bool {
	if branch == "" {
		return false
	}
	log, err := os.Open(filepath.Join(w.root.common, "logs", filepath.FromSlash(headsPrefix+branch)))
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

// branchCommit is what a ref names, "" where it does not exist.
func (w *Workspace) branchCommit(ctx context.Context, ref string) (string, error) {
	if !isFolder(filepath.Join(w.root.common, "reftable")) {
		value, err := readRef(w.root.git, w.root.common, ref)
		if err != nil || !strings.HasPrefix(value, "ref:") {
			return value, err
		}
	}
	commit, err := w.git.line(ctx, "rev-parse", "-q", "--verify", ref)
	if err != nil && exitCode(err) == 1 {
		return "", nil
	}
	return commit, err
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// readHead follows HEAD of a git folder to its ref and commit.
func readHead(git, common string) (ref, commit string, err error) {
	text, err := os.ReadFile(filepath.Join(git, "HEAD"))
	if err != nil {
		return "", "", fmt.Errorf("cannot read HEAD: %w", err)
	}
	value := strings.TrimSpace(string(text))
	// A symbolic ref may name another; git follows five.
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

// readRef gives the value of a ref, "" where it does not exist.
func readRef(git, common, ref string) (string, error) {
	folder := common
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(ref, own) {
			folder = git
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(ref)))
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	// A folder in the ref's place is one that held other refs, now packed.
	if !errors.Is(err, fs.ErrNotExist) && !isFolder(filepath.Join(folder, ref)) && !errors.Is(err, errNotFolder) {
		return "", err
	}
	return readPackedRef(common, ref)
}

func readPackedRef(common, ref string) (string, error) {
	text, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		id, name, ok := strings.Cut(lines.Text(), " ")
		if ok && name == ref {
			return id, nil
		}
	}
	return "", lines.Err()
}
