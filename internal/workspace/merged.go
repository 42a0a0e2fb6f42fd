package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// SessionBranches is the folder of the branches that sessions make.
const SessionBranches = "mulligan/"

// MergedInto returns a branch of the user's that has all commits of a session's branch, or "" if there is
// none, if the branch does not exist, or if it is no branch that sessions make. root is a checkout of the
// repository.
func MergedInto(ctx context.Context, root, branch string) (string, error) {
	g, done, err := gitForRefs(root)
	if err != nil {
		return "", err
	}
	defer done()
	into, _, err := findMerged(ctx, g, branch)
	return into, err
}

// findMerged returns what MergedInto does, and the commit of the branch.
func findMerged(ctx context.Context, g git, branch string) (into, tip string, err error) {
	if !strings.HasPrefix(branch, SessionBranches) {
		return "", "", nil
	}
	tip, err = g.line(ctx, "for-each-ref", "--format=%(objectname)", headsPrefix+branch)
	if err != nil || tip == "" || strings.Contains(tip, "\n") {
		return "", "", err
	}
	out, err := g.run(ctx, "for-each-ref", "--format=%(refname)", "--contains="+tip, headsPrefix)
	if err != nil {
		return "", "", err
	}
	for ref := range strings.Lines(string(out)) {
		name := strings.TrimPrefix(strings.TrimSuffix(ref, "\n"), headsPrefix)
		if !strings.HasPrefix(name, SessionBranches) {
			return name, tip, nil
		}
	}
	return "", tip, nil
}

// CheckedOutIn returns the folders of the worktrees in which each branch is checked out.
func CheckedOutIn(ctx context.Context, root string) (map[string]string, error) {
	found, err := Find(root)
	if err != nil {
		return nil, err
	}
	all, err := listWorktrees(ctx, found, newLiveGit(found, new(atomic.Int64)))
	in := make(map[string]string, len(all))
	for _, t := range all {
		if branch, ok := strings.CutPrefix(t.ref, headsPrefix); ok {
			in[branch] = t.dir
		}
	}
	return in, err
}

// DeleteMerged deletes a session's branch. It returns an error, and deletes nothing, if the branch is not
// merged or is checked out in a worktree.
func DeleteMerged(ctx context.Context, root, branch string) error {
	g, done, err := gitForRefs(root)
	if err != nil {
		return err
	}
	defer done()
	into, tip, err := findMerged(ctx, g, branch)
	if err == nil && into == "" {
		err = errors.New("it is not merged")
	}
	if err != nil {
		return err
	}
	in, err := CheckedOutIn(ctx, root)
	if err != nil {
		return err
	}
	if dir := in[branch]; dir != "" {
		return fmt.Errorf("it is checked out in %s", dir)
	}
	// Git deletes it only if it still is at the commit that is merged.
	_, err = g.run(ctx, "update-ref", "--no-deref", "-d", headsPrefix+branch, tip)
	return err
}

// ListUnmerged returns the names in a folder of a branch, if the branch is neither checked out nor merged into
// HEAD. folder is relative to the repository's root.
func ListUnmerged(ctx context.Context, root, branch, folder string) ([]string, error) {
	g, done, err := gitForRefs(root)
	if err != nil {
		return nil, err
	}
	defer done()
	ref := headsPrefix + branch
	if now, err := g.line(ctx, "symbolic-ref", "-q", "HEAD"); now == ref || err != nil && exitCode(err) != 1 {
		return nil, err
	}
	if _, err := g.run(ctx, "rev-parse", "-q", "--verify", ref); err != nil {
		return nil, nil // it is gone
	}
	if _, err := g.run(ctx, "merge-base", "--is-ancestor", ref, "HEAD"); exitCode(err) != 1 {
		return nil, err
	}
	out, err := g.run(ctx, "ls-tree", "-z", "--name-only", ref+":"+folder)
	if err != nil {
		return nil, nil // it has no such folder
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}
