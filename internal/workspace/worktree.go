package workspace

import (
	"context"
	"fmt"
	"sync/atomic"
)

// AddWorktree adds a worktree at path to the repository of the checkout root. It checks a commit out on
// a new branch, or the branch as it is if it exists already, or the commit on no branch if branch is "".
func AddWorktree(ctx context.Context, root, path, branch, commit string) error {
	g, err := gitForCheckout(root)
	if err != nil {
		return err
	}
	args := []string{"worktree", "add", "-q", "-b", branch, "--", path, commit}
	if branch == "" {
		args = []string{"worktree", "add", "-q", "--detach", "--", path, commit}
	} else if _, err := g.run(ctx, "rev-parse", "-q", "--verify", headsPrefix+branch); err == nil {
		args = []string{"worktree", "add", "-q", "--", path, branch}
	}
	if _, err := g.run(ctx, args...); err != nil {
		return fmt.Errorf("cannot make the worktree: %w", err)
	}
	return nil
}

// RemoveWorktree deletes the worktree at path with all that is in it. Its branch stays.
func RemoveWorktree(ctx context.Context, root, path string) error {
	g, err := gitForCheckout(root)
	if err != nil {
		return err
	}
	if _, err := g.run(ctx, "worktree", "remove", "--force", "--", path); err != nil {
		return fmt.Errorf("cannot remove the worktree: %w", err)
	}
	return nil
}

// gitForCheckout returns a git for the checkout that holds dir.
func gitForCheckout(dir string) (git, error) {
	root, err := Find(dir)
	if err != nil {
		return git{}, err
	}
	return newUserGit(root, new(atomic.Int64)), nil
}
