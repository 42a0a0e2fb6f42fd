package workspace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/gitfiles"
)

// settleKilledRefs adds to what is to be reported how the branches differ from what a process of this session
// remembered before it was killed. The agent may have done that, or a person since then: nothing is moved. What a
// branch has lost is kept. It must be called with w.mu held.
func (w *Workspace) settleKilledRefs(ctx context.Context, session string) error {
	was := w.gitGuard.killed
	if was == nil {
		return nil
	}
	w.gitGuard.killed = nil
	now, err := w.readGuardedRefs(ctx)
	if err != nil {
		return fmt.Errorf("cannot compare the branches: %w", err)
	}
	g := &refGuard{Workspace: w, check: mulligan.GitCheck{Session: session}, now: now}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, had := was[name]; !had && strings.HasPrefix(name, headsPrefix) {
			// The killed turn is given again, and may do with it what it did before.
			g.changes = append(g.changes, mulligan.GitChange{Kind: mulligan.GitBranchMade, Name: name, To: now[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if branch, is := strings.CutPrefix(name, headsPrefix); is && branch != w.branch && now[name] != was[name] {
			if err := g.keepLost(ctx, name, was[name], now[name]); err != nil {
				return err
			}
		}
	}
	w.gitGuard.recovered = append(w.gitGuard.recovered, g.changes...)
	return nil
}

// keepLost keeps the commit that a branch was at, unless the branch still has it.
func (g *refGuard) keepLost(ctx context.Context, name, was, now string) error {
	if _, linked := gitfiles.Target(was); linked || now != "" && g.hasCommit(ctx, now, was) {
		return nil
	}
	ref, err := g.KeepCommit(ctx, g.check.Session, was)
	if err != nil {
		return fmt.Errorf("cannot keep what %s had: %w", name, err)
	}
	g.changes = append(g.changes, mulligan.GitChange{Kind: mulligan.GitBranchUnseen, Name: name, From: was, To: now, Kept: ref})
	return nil
}

// PredatesKilled reports whether a commit was there before the session that was killed began: it is in the history of
// base, the commit that the session began with, or of a branch as the session remembered it. The session's own branch
// is not asked, nor are the refs that listChanged returns, which agents may have written. It reports false if nothing is
// remembered: then git's own files, which may change what git takes for a history, were not compared either.
func (w *Workspace) PredatesKilled(ctx context.Context, commit, base string, listChanged func() ([]string, error)) (bool, error) {
	was := w.gitGuard.killed
	if was == nil {
		return false, nil
	}
	if has, err := w.Contains(ctx, base, commit); err != nil || has {
		return has, err
	}
	changed, err := listChanged()
	if err != nil {
		return false, err
	}
	input, known := commit+"\n", false
	for _, name := range slices.Sorted(maps.Keys(was)) {
		branch, isBranch := strings.CutPrefix(name, headsPrefix)
		if _, linked := gitfiles.Target(was[name]); !isBranch || linked || branch == w.branch || slices.Contains(changed, name) {
			continue
		}
		input, known = input+"^"+was[name]+"\n", true
	}
	if !known {
		return false, nil
	}
	unknown, err := w.git.runWithInput(ctx, []byte(input), "rev-list", "--max-count=1", "--stdin")
	return err == nil && len(unknown) == 0, err
}
