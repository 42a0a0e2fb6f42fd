package workspace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mulligan"
)

const (
	fallbackName     = "mulligan"
	fallbackEmail    = "mulligan@localhost"
	fallbackIdentity = fallbackName + " <" + fallbackEmail + ">"
	scratchPrefix    = "scratch-"
)

// Commit makes a commit of exactly the snapshot's tree, on top of c.Parent, and moves the branch to it.
// Commits between are folded in, but for c.OnTop. The files stay as they are.
func (w *Workspace) Commit(ctx context.Context, c mulligan.Commit) (string, error) {
	w.lock()
	defer w.mu.Unlock()
	id, err := w.commitLocked(ctx, c)
	if err != nil {
		return "", fmt.Errorf("cannot commit: %w", err)
	}
	return id, nil
}

// commitLocked is Commit. It must be called with w.mu held.
func (w *Workspace) commitLocked(ctx context.Context, c mulligan.Commit) (string, error) {
	id, err := w.makeCommit(ctx, c)
	if err != nil {
		return "", err
	}
	ref, head, err := w.currentHead(ctx)
	if err != nil {
		return "", err
	}
	target := ref
	if w.branch != "" {
		target = headsPrefix + w.branch
	}
	if target != ref {
		w.log(fmt.Sprintf("HEAD was at %s; the commit goes to %s, and HEAD back to it", describeHead(ref, head), w.branch))
	}
	if c.OnTop {
		if err := w.checkForward(ctx, target, head, id); err != nil {
			return "", err
		}
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	if err := w.moveHead(ctx, target, id, "mulligan: "+subject); err != nil {
		return "", err
	}
	w.forgetMerge()
	if what := w.InProgress(ctx); what != "" {
		w.log(fmt.Sprintf("git is in the middle of %s that was begun meanwhile; `git status` says how to end it", what))
	}
	w.resetIndex(ctx, id)
	return id, nil
}

// checkForward returns an error if moving a ref, or a detached HEAD, to a commit would take commits from it.
func (w *Workspace) checkForward(ctx context.Context, ref, head, to string) error {
	from := head
	if ref != "" {
		var err error
		if from, err = w.branchCommit(ctx, ref); err != nil {
			return err
		}
	}
	if from == "" {
		return nil
	}
	forward, err := w.Contains(ctx, to, from)
	if err == nil && !forward {
		err = fmt.Errorf("%w: %s is at %.10s", mulligan.ErrBranchMoved, describeHead(ref, "HEAD"), from)
	}
	return err
}

// describeHead returns the name of a branch, or its commit if HEAD is detached.
func describeHead(ref, commit string) string {
	if ref == "" {
		return commit
	}
	return strings.TrimPrefix(ref, headsPrefix)
}

// makeCommit returns the commit that c describes, and creates it if there is none. If the tree is the
// parent's, that is the parent.
func (w *Workspace) makeCommit(ctx context.Context, c mulligan.Commit) (string, error) {
	var parentTree string
	if c.Parent != "" {
		parent, err := w.readCommit(ctx, c.Parent)
		if err != nil {
			return "", err
		}
		parentTree = parent.tree
	}
	tree, _, err := w.makeUserTree(ctx, c.Tree.ID, c.Parent, parentTree)
	if err != nil {
		return "", err
	}
	if tree == parentTree && c.Parent != "" {
		return c.Parent, nil
	}
	if c.Sign {
		// A signature has its own time, so the commit made before a crash has another id.
		if id, err := w.findMadeBefore(ctx, c, tree); id != "" || err != nil {
			return id, err
		}
	}
	return w.commitTree(ctx, c, tree)
}

// commitTree creates the commit object. Its id depends on c and tree alone, so that the same call creates
// the same commit.
func (w *Workspace) commitTree(ctx context.Context, c mulligan.Commit, tree string) (string, error) {
	if id, ok := w.writePlainCommit(c, tree); ok {
		return id, nil
	}
	return w.askForCommit(ctx, c, tree)
}

// askForCommit is commitTree by git.
func (w *Workspace) askForCommit(ctx context.Context, c mulligan.Commit, tree string) (string, error) {
	when := formatGitTime(c.Time)
	g := w.git.withEnv("GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	args := []string{"-c", "user.useConfigOnly=true", "-c", "i18n.commitEncoding=UTF-8", "commit-tree"}
	if c.Sign {
		args = append(args, "-S")
	}
	if c.Parent != "" {
		args = append(args, "-p", c.Parent)
	}
	args = append(args, "-F", "-", tree)
	out, err := g.runWithInput(ctx, []byte(c.Message), args...)
	if err != nil && ctx.Err() == nil {
		missing, refused := w.fillIdentity(ctx)
		if refused != nil {
			return "", refused
		}
		if len(missing) > 0 {
			out, err = g.withEnv(missing...).runWithInput(ctx, []byte(c.Message), args...)
		}
	}
	return strings.TrimSpace(string(out)), err
}

// Carry creates a commit of all uncommitted work that git does not ignore, on top of HEAD. It does not
// move HEAD: Settle does.
func (w *Workspace) Carry(ctx context.Context, message string) (string, error) {
	w.lock()
	defer w.mu.Unlock()
	_, head, err := w.currentHead(ctx)
	if err != nil {
		return "", err
	}
	id, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return "", err
	}
	tree := mulligan.Tree{ID: id, Head: head}
	commit, err := w.makeCommit(ctx, mulligan.Commit{Tree: tree, Parent: head, Message: message, Time: time.Now()})
	if err != nil {
		return "", fmt.Errorf("cannot commit the uncommitted work: %w", err)
	}
	return commit, nil
}
