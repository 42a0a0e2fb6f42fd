package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"mulligan/internal/gitfolder"
)

// AddWorktree adds a worktree at path to the repository of the checkout root. It checks a commit out on
// a new branch, or the branch as it is if it exists already, or the commit on no branch if branch is "".
func AddWorktree(ctx context.Context, root, path, branch, commit string) error {
	found, err := Find(root)
	if err == nil {
		err = checkConfig(found)
	}
	if err != nil {
		return err
	}
	g := newLiveGit(found, new(atomic.Int64))
	add := []string{"worktree", "add", "-q", "--no-checkout"}
	what := []string{"-b", branch, "--", path, commit}
	if branch == "" {
		what = []string{"--detach", "--", path, commit}
	} else if _, err := g.run(ctx, "rev-parse", "-q", "--verify", headsPrefix+branch); err == nil {
		what = []string{"--", path, branch}
	}
	if _, err := g.run(ctx, append(add, what...)...); err != nil {
		return fmt.Errorf("cannot make the worktree: %w", err)
	}
	if err := fillWorktree(ctx, path, found.Dir); err != nil {
		_, failed := g.run(context.WithoutCancel(ctx), "worktree", "remove", "--force", "--", path)
		return fmt.Errorf("cannot make the worktree: %w", errors.Join(err, failed))
	}
	return nil
}

// fillWorktree checks out the files of a worktree's HEAD, through the filters that are set up now. Those that are
// programs of the repository are taken from the checkout programs.
func fillWorktree(ctx context.Context, path, programs string) error {
	root, err := Find(path)
	if err != nil {
		return err
	}
	g, done, err := gitForTree(ctx, root, programs)
	if err != nil {
		return err
	}
	defer done()
	_, err = g.run(ctx, "read-tree", "--reset", "-u", "HEAD")
	return err
}

// RemoveWorktree deletes the worktree at path with all that is in it. Its branch stays.
func RemoveWorktree(ctx context.Context, root, path string) error {
	found, err := Find(root)
	if err == nil {
		err = checkConfig(found)
	}
	if err != nil {
		return err
	}
	if _, err := newLiveGit(found, new(atomic.Int64)).run(ctx, "worktree", "remove", "--force", "--", path); err != nil {
		return fmt.Errorf("cannot remove the worktree: %w", err)
	}
	return nil
}

// A worktree is a checkout of a repository.
type worktree struct {
	dir string
	ref string // that HEAD names; "" if it is detached
}

// listWorktrees returns the checkouts of a repository. It asks live only where refs are not files.
func listWorktrees(ctx context.Context, root Root, live git) ([]worktree, error) {
	if root.hasReftable() {
		return askForWorktrees(ctx, live)
	}
	var all []worktree
	add := func(dir, git string) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			dir = resolved
		}
		text, err := gitfolder.ReadFile(filepath.Join(git, "HEAD"))
		if err != nil {
			return // a checkout without a HEAD has no branch
		}
		ref, named := strings.CutPrefix(strings.TrimSpace(string(text)), "ref:")
		if !named {
			ref = ""
		}
		all = append(all, worktree{dir: dir, ref: strings.TrimSpace(ref)})
	}
	// A repository without an index has no checkout of its own.
	if _, err := os.Lstat(filepath.Join(root.common, "index")); err == nil {
		if root.git == root.common {
			add(root.Dir, root.git)
		} else if filepath.Base(root.common) == ".git" {
			add(filepath.Dir(root.common), root.common)
		}
	}
	linked, _ := filepath.Glob(filepath.Join(root.common, "worktrees", "*", "gitdir")) // fails for a bad pattern only
	for _, file := range linked {
		text, err := gitfolder.ReadFile(file)
		if err != nil {
			return nil, err
		}
		git := filepath.Dir(file)
		add(filepath.Dir(resolveFrom(git, strings.TrimSpace(string(text)))), git)
	}
	return all, nil
}

// askForWorktrees is listWorktrees by git itself.
func askForWorktrees(ctx context.Context, live git) ([]worktree, error) {
	out, err := live.run(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	var all []worktree
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "worktree":
			all = append(all, worktree{dir: value})
		case "branch":
			all[len(all)-1].ref = value
		}
	}
	return all, nil
}
