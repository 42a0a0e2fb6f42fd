package runner

import (
	"context"
	"path/filepath"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/plan"
)

// RunFolder runs the tasks of a folder one by one, on one branch, and reads the folder again after
// each. makePlan returns the plan of a task file.
func (r *Runner) RunFolder(ctx context.Context, folder string, makePlan func(path string) (*mulligan.Plan, error)) error {
	done := map[string]bool{}
	for {
		tasks, err := plan.Tasks(folder)
		if err != nil {
			return err
		}
		next := ""
		for _, task := range tasks {
			if !done[filepath.Base(task)] {
				next = task
				break
			}
		}
		if next == "" {
			return nil
		}
		done[filepath.Base(next)] = true
		p, err := makePlan(next)
		if err != nil {
			return err
		}
		if err := r.RunPlan(ctx, p); err != nil {
			return err
		}
	}
}

// RunPlan takes a plan to its outcome. One that is not good is a usererror.Exit.
func (r *Runner) RunPlan(ctx context.Context, p *mulligan.Plan) error {
	j, err := r.prepareJob(ctx, p)
	if err != nil {
		return err
	}
	if j == nil {
		return nil // done already, and said so
	}
	defer j.close()
	outcome, err := j.run(ctx)
	if err != nil {
		return err
	}
	if p.Task.Folder != "" {
		r.place = &j.session.State().Place
	}
	return exitError(outcome)
}

// exitError returns the exit of an outcome, or nil if it is good.
func exitError(o mulligan.Outcome) error {
	if code := o.ExitCode(); code != mulligan.ExitOK {
		return usererror.Exit(code)
	}
	return nil
}
