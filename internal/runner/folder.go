package runner

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/workspace"
	"mulligan/plan"
)

// listTasks returns the tasks of a folder. Where the branch of the folder's tasks is not checked out and has
// a task that comes next and that is not here, an earlier task has added it: the branch is checked out
// first. name is the folder as the journal names it.
func (r *Runner) listTasks(ctx context.Context, folder, name string, done map[string]bool) ([]string, error) {
	tasks, err := plan.Tasks(folder)
	if err != nil {
		return nil, err
	}
	branch, added, err := r.findAddedTasks(ctx, name)
	if err != nil || len(added) == 0 {
		return tasks, err
	}
	isOpen := func(task string) bool { return !done[filepath.Base(task)] }
	next := slices.IndexFunc(tasks, isOpen)
	for _, task := range added {
		here := slices.ContainsFunc(tasks, func(t string) bool { return filepath.Base(t) == task })
		if here || done[task] || next >= 0 && filepath.Base(tasks[next]) < task {
			continue
		}
		if err := r.enterFolderBranch(ctx, branch); err != nil {
			return nil, err
		}
		return plan.Tasks(folder)
	}
	return tasks, nil
}

// findAddedTasks returns the branch of the folder's tasks, if that is not checked out and not merged, and the
// names of the tasks that it has.
func (r *Runner) findAddedTasks(ctx context.Context, name string) (branch string, tasks []string, err error) {
	all, err := r.journal.Sessions(ctx)
	if err != nil {
		return "", nil, err
	}
	at := -1
	for i, s := range all {
		if s.Dir == r.Root && s.Folder == name && strings.HasPrefix(s.Branch, "mulligan/") {
			at = i
		}
	}
	if at < 0 || r.Options.Restart {
		return "", nil, nil
	}
	branch = all[at].Branch
	names, err := workspace.ListUnmerged(ctx, r.Root, branch, filepath.ToSlash(name))
	tasks = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".md") || strings.HasPrefix(n, "_") })
	return branch, tasks, err
}

// enterFolderBranch checks the branch of a folder's tasks out. The next task begins there, and the checkout
// is given back after the last one.
func (r *Runner) enterFolderBranch(ctx context.Context, branch string) error {
	j, err := r.enterWorkspace(ctx, r.Root, folderHolder, "")
	if err != nil {
		return err
	}
	defer j.close()
	if dirty, err := j.ws.Dirty(ctx); err != nil || len(dirty) > 0 {
		if err == nil {
			err = refuseDirty(dirty)
		}
		return err
	}
	if r.origin, _, err = j.ws.Head(ctx); err != nil {
		return err
	}
	return j.Env.Points.Around("branch", func() error { return j.ws.SwitchTo(context.WithoutCancel(ctx), branch) })
}

// leaveFolderBranch gives the checkout back if no task of the folder began after its branch was checked out.
func (r *Runner) leaveFolderBranch(ctx context.Context, last mulligan.Summary) error {
	if r.origin == "" {
		return nil
	}
	j, err := r.enterWorkspace(ctx, r.Root, folderHolder, "")
	if err != nil {
		return err
	}
	defer j.close()
	if branch, _, err := j.ws.Head(ctx); err != nil || branch != last.Branch {
		return err
	}
	return j.ws.SwitchTo(context.WithoutCancel(ctx), r.origin)
}
