package runner

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/plan"
	"mulligan/workspace"
)

// A folderTask is a task of a folder: a file of the person's checkout, or one that an earlier task has added.
type folderTask struct {
	name string // of the file
	path string // of it in the checkout; "" if the branch of the folder's tasks has it
	text []byte // of one that the branch has
}

// listTasks returns the tasks of a folder, by name: those in the checkout, and those that earlier tasks have added on their
// branch.
func (r *Runner) listTasks(ctx context.Context, folder string) ([]folderTask, error) {
	paths, err := plan.Tasks(folder)
	if err != nil {
		return nil, err
	}
	var tasks []folderTask
	for _, p := range paths {
		tasks = append(tasks, folderTask{name: filepath.Base(p), path: p})
	}
	added, err := r.findAddedTasks(ctx, environ.RelativeTo(r.Root, folder))
	if err != nil {
		return nil, err
	}
	for _, t := range added {
		if !slices.ContainsFunc(tasks, func(had folderTask) bool { return had.name == t.name }) {
			tasks = append(tasks, t)
		}
	}
	slices.SortFunc(tasks, func(a, b folderTask) int { return strings.Compare(a.name, b.name) })
	return tasks, nil
}

// findAddedTasks returns the tasks of a folder that are on the branch of the folder's tasks and that HEAD does not have.
func (r *Runner) findAddedTasks(ctx context.Context, name string) ([]folderTask, error) {
	if r.Options.Restart || !filepath.IsLocal(name) {
		return nil, nil
	}
	store := workspace.OpenStore(workspace.StoreOptions{Dir: r.folders.Store(r.Root), Environ: r.Env.Environ})
	if !store.Exists() {
		return nil, nil
	}
	c, err := workspace.LookAt(ctx, r.Root, r.Env.Environ)
	if err != nil {
		return nil, err
	}
	if err := store.Update(ctx, c); err != nil {
		return nil, err
	}
	_, tip, err := r.findFolderBranch(ctx, store, name, c.Head)
	if err != nil || tip == "" {
		return nil, err
	}
	files, err := store.ReadFolder(ctx, tip, filepath.ToSlash(name), c.Head)
	var tasks []folderTask
	for file, text := range files {
		if strings.HasSuffix(file, ".md") && !strings.HasPrefix(file, "_") {
			tasks = append(tasks, folderTask{name: file, text: text})
		}
	}
	return tasks, err
}

// findFolderBranch returns the branch of a folder's tasks and where it ends, or "" if it is gone or merged into head.
func (r *Runner) findFolderBranch(ctx context.Context, store *workspace.Store, folder, head string) (branch, tip string, err error) {
	all, err := r.journal.Sessions(ctx)
	if err != nil {
		return "", "", err
	}
	for _, s := range slices.Backward(all) {
		if s.Root != r.Root || s.Folder != folder || s.Branch == "" {
			continue
		}
		tip, err := store.Commit(ctx, "refs/heads/"+s.Branch)
		if err != nil || tip == "" {
			return "", "", err
		}
		if merged, err := store.Contains(ctx, head, tip); err != nil || merged {
			return "", "", err
		}
		return s.Branch, tip, nil
	}
	return "", "", nil
}

// planTask returns the plan of a task. One that only the branch has is read from a copy.
func (r *Runner) planTask(folder string, t folderTask, makePlan func(path string) (*mulligan.Plan, error)) (*mulligan.Plan, error) {
	if t.path != "" {
		return makePlan(t.path)
	}
	dir, err := os.MkdirTemp("", "mulligan-task-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, t.name)
	if err := os.WriteFile(file, t.text, 0o600); err != nil {
		return nil, err
	}
	p, err := makePlan(file)
	if err != nil {
		return nil, err
	}
	p.Task.Folder = environ.RelativeTo(r.Root, folder)
	p.Task.Path = path.Join(filepath.ToSlash(p.Task.Folder), t.name)
	return p, nil
}
