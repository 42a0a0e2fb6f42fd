package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/gitfiles"
)

// readGuardedRefs returns the refs that are compared. It starts no process, unless the repository has its refs in a
// format that only git reads.
func (w *Workspace) readGuardedRefs(ctx context.Context) (gitfiles.Refs, error) {
	if isFolder(filepath.Join(w.root.common, "reftable")) {
		return w.askGitForRefs(ctx)
	}
	g := &w.gitGuard
	if g.refs == nil {
		g.refs = &gitfiles.RefReader{Common: w.root.common, Folders: g.folders}
	}
	return g.refs.Read()
}

// askGitForRefs is readGuardedRefs for a repository whose refs are not files that we can read.
func (w *Workspace) askGitForRefs(ctx context.Context) (gitfiles.Refs, error) {
	out, err := w.git.run(ctx, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)", "refs/heads", "refs/mulligan", "refs/replace")
	if err != nil {
		return nil, err
	}
	all := make(gitfiles.Refs)
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00"); len(f) == 3 {
			if all[f[0]] = f[1]; f[2] != "" {
				all[f[0]] = "ref: " + f[2]
			}
		}
	}
	return all, nil
}

// A refGuard compares the refs with what is remembered.
type refGuard struct {
	*Workspace
	check   mulligan.GitCheck
	now     gitfiles.Refs
	linked  []string // refs that a branch was linked to: what was committed to the branch has gone there
	changes []mulligan.GitChange
}

// settleRefs puts back what was taken from branches. It must be called with w.mu held.
func (w *Workspace) settleRefs(ctx context.Context, c mulligan.GitCheck) ([]mulligan.GitChange, error) {
	now, err := w.readGuardedRefs(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot compare the branches: %w", err)
	}
	was := w.gitGuard.memory.Refs
	var names []string
	for name, value := range was {
		if now[name] != value {
			names = append(names, name)
		}
	}
	for name := range now {
		if _, had := was[name]; !had {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	g := &refGuard{Workspace: w, check: c, now: now}
	for _, name := range names {
		if target, linked := gitfiles.Target(now[name]); linked && was[name] != "" {
			g.linked = append(g.linked, target)
		}
	}
	for _, name := range names {
		if err := g.settle(ctx, name, was[name], now[name]); err != nil {
			return g.changes, err
		}
	}
	return g.changes, nil
}

// settle does what is to be done about one ref that differs.
func (g *refGuard) settle(ctx context.Context, name, was, now string) error {
	branch, isBranch := strings.CutPrefix(name, headsPrefix)
	switch {
	case isBranch:
		return g.settleBranch(ctx, branch, was, now)
	case strings.HasPrefix(name, "refs/replace/"):
		return g.putBackRef(ctx, mulligan.GitChange{Kind: mulligan.GitReplaced, Name: name, From: was, To: now})
	case was != "" && strings.HasPrefix(name, path.Join(asideRefs, g.check.Session)+"/"):
		return g.putBackRef(ctx, mulligan.GitChange{Kind: mulligan.GitFile, Name: name, From: was, To: now})
	}
	return nil
}

// settleBranch does what is to be done about a branch that differs.
func (g *refGuard) settleBranch(ctx context.Context, branch, was, now string) error {
	c := mulligan.GitChange{Name: headsPrefix + branch, From: was, To: now}
	own := branch == g.branch
	target, linked := gitfiles.Target(now)
	switch {
	case was == "":
		if c.Kind = mulligan.GitBranchMade; linked {
			c.To = target
		}
		g.changes = append(g.changes, c)
		return nil
	case !own && slices.Contains(g.check.Made, branch):
		return nil
	case linked:
		c.Kind, c.To = mulligan.GitBranchLinked, target
	case own && now == "":
		c.Kind = mulligan.GitOwnGone
	case now == "":
		c.Kind = mulligan.GitBranchDeleted
	case own && g.hasCommit(ctx, now, g.check.Base):
		return nil // the agent's own commits are folded into the step's, or built upon
	case own:
		c.Kind = mulligan.GitBaseRewritten
	case !slices.Contains(g.linked, c.Name) && g.hasCommit(ctx, now, was) && !g.movedHere(ctx, now):
		c.Kind = mulligan.GitBranchForward
		g.changes = append(g.changes, c)
		return nil
	case g.movedElsewhere(now):
		return g.keepMovedElsewhere(ctx, c)
	default:
		c.Kind = mulligan.GitBranchMoved
	}
	return g.putBackRef(ctx, c)
}

// movedHere reports whether a branch was moved to a commit in this checkout: its HEAD was there, or the commit is of
// the session's branch. Otherwise nobody can tell, and it may be a person's.
func (g *refGuard) movedHere(ctx context.Context, commit string) bool {
	if logHas(filepath.Join(g.root.git, "logs", "HEAD"), commit) {
		return true
	}
	tip := g.now[headsPrefix+g.branch]
	return tip != "" && g.check.Base != "" && g.hasCommit(ctx, tip, commit) && !g.hasCommit(ctx, g.check.Base, commit)
}

// hasCommit reports whether a commit is in the history of another. One that git cannot read has none.
func (g *refGuard) hasCommit(ctx context.Context, head, commit string) bool {
	if commit == "" {
		return true
	}
	has, err := g.Contains(ctx, head, commit)
	return err == nil && has
}

// putBackRef makes a ref what it was, and keeps the commit that it has now. What keeps it from that is noted in
// the change.
func (g *refGuard) putBackRef(ctx context.Context, c mulligan.GitChange) error {
	_, linked := gitfiles.Target(c.To)
	if c.To != "" && !linked && c.Kind != mulligan.GitBranchLinked {
		ref, err := g.KeepCommit(ctx, g.check.Session, c.To)
		if err != nil {
			return fmt.Errorf("cannot keep what %s has: %w", c.Name, err)
		}
		c.Kept = ref
	}
	if err := g.writeRef(ctx, c.Name, c.From); err != nil {
		c.Left = err.Error()
	}
	g.changes = append(g.changes, c)
	if ref, head, err := g.currentHead(ctx); err == nil && ref == c.Name {
		g.resetIndex(ctx, head)
	}
	return nil
}

// writeRef gives a ref a value, whatever it has now, or deletes it if value is "". It never follows a symbolic ref.
func (g *refGuard) writeRef(ctx context.Context, name, value string) error {
	var err error
	target, linked := gitfiles.Target(value)
	switch {
	case linked:
		_, err = g.git.run(ctx, "symbolic-ref", "-m", "mulligan: put back", name, target)
	case value == "":
		_, err = g.git.run(ctx, "update-ref", "--no-deref", "-d", name)
	default:
		_, err = g.git.run(ctx, "update-ref", "--no-deref", "-m", "mulligan: put back", name, value)
	}
	return err
}

// keepMovedElsewhere keeps what a branch had that was moved in another worktree: it may be a person's doing, and
// the branch stays.
func (g *refGuard) keepMovedElsewhere(ctx context.Context, c mulligan.GitChange) error {
	ref, err := g.KeepCommit(ctx, g.check.Session, c.From)
	if err != nil {
		return fmt.Errorf("cannot keep what %s had: %w", c.Name, err)
	}
	c.Kind, c.Kept = mulligan.GitBranchOther, ref
	g.changes = append(g.changes, c)
	return nil
}

// movedElsewhere reports whether the log of another worktree's HEAD has a commit: a branch was moved to it there.
func (g *refGuard) movedElsewhere(commit string) bool {
	folders, _ := filepath.Glob(filepath.Join(g.root.common, "worktrees", "*")) // fails for a bad pattern only
	for _, folder := range append(folders, g.root.common) {
		if folder != g.root.git && logHas(filepath.Join(folder, "logs", "HEAD"), commit) {
			return true
		}
	}
	return false
}

// logTail is how much of a log of HEAD is looked at.
const logTail = 256 << 10

// logHas reports whether the end of a log of HEAD has a move to a commit: "OLD NEW NAME <MAIL> …".
func logHas(path, commit string) bool {
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-logTail), logTail))
	return err == nil && bytes.Contains(tail, []byte(" "+commit+" "))
}
