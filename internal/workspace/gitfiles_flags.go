package workspace

import (
	"context"
	"fmt"
	"slices"

	"mulligan"
)

// maxFlags is how many files with flags are named.
const maxFlags = 20

// settleFlags takes from the index the flags that hide changes of files and that were not there before. Files that
// are missing because git was told to skip them come back as they were before. It must be called with w.mu held.
func (w *Workspace) settleFlags(ctx context.Context, c mulligan.GitCheck) ([]mulligan.GitChange, error) {
	if err := w.scan.rules.refresh(ctx); err != nil {
		return nil, err
	}
	var skipped, assumed []string
	for path, f := range w.scan.rules.files {
		if !f.hidden && !f.assume {
			continue
		}
		if _, had := slices.BinarySearch(w.gitGuard.memory.Flagged, path); had {
			continue
		}
		if f.hidden && !w.scan.rules.sparse { // in a sparse checkout of the start git sets the flag itself
			skipped = append(skipped, path)
		}
		if f.assume {
			assumed = append(assumed, path)
		}
	}
	slices.Sort(skipped)
	slices.Sort(assumed)
	if err := w.clearFlag(ctx, "--no-assume-unchanged", assumed); err != nil {
		return nil, err
	}
	if err := w.clearFlag(ctx, "--no-skip-worktree", skipped); err != nil {
		return nil, err
	}
	if err := w.restoreSkipped(ctx, skipped, c.Before); err != nil {
		return nil, err
	}
	return append(nameFlags(skipped, "skip-worktree"), nameFlags(assumed, "assume-unchanged")...), nil
}

// clearFlag takes a flag from files in the index.
func (w *Workspace) clearFlag(ctx context.Context, option string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	var list []byte
	for _, path := range paths {
		list = append(append(list, path...), 0)
	}
	if _, err := w.git.runWithInput(ctx, list, "update-index", option, "-z", "--stdin"); err != nil {
		return fmt.Errorf("cannot put back the flags of git's index: %w", err)
	}
	return nil
}

// restoreSkipped writes those of the paths that are missing and that the tree before has.
func (w *Workspace) restoreSkipped(ctx context.Context, paths []string, before mulligan.Tree) error {
	if len(paths) == 0 || before.ID == "" {
		return nil
	}
	now, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return err
	}
	found, err := w.compareSnapshots(ctx, now, before.ID)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(found, func(d difference) bool {
		_, listed := slices.BinarySearch(paths, d.path)
		return d.from != nil || !listed
	})
	return w.applyDifferences(ctx, missing)
}

// nameFlags returns the files whose flag was taken away, the first of them by name.
func nameFlags(paths []string, flag string) []mulligan.GitChange {
	var changes []mulligan.GitChange
	for _, path := range paths[:min(len(paths), maxFlags)] {
		changes = append(changes, mulligan.GitChange{Kind: mulligan.GitFlag, Name: path, To: flag})
	}
	if more := len(paths) - maxFlags; more > 0 {
		changes = append(changes, mulligan.GitChange{Kind: mulligan.GitFlag, Name: fmt.Sprintf("%d more files", more), To: flag})
	}
	return changes
}
