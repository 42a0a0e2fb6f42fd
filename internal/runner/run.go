package runner

import (
	"context"
	"fmt"
	"slices"

	"mulligan"
	"mulligan/internal/usererror"
)

// RunFolder runs the tasks of a folder one by one, on one branch, and reads the folder again after
// each: tasks that an earlier one has added are those of the branch. makePlan returns the plan of a task file.
func (r *Runner) RunFolder(ctx context.Context, folder string, makePlan func(path string) (*mulligan.Plan, error)) error {
	name, done, err := r.runTasks(ctx, folder, makePlan)
	if name == "" {
		return err
	}
	if late := r.notifyFolder(context.WithoutCancel(ctx), name, done); late != nil {
		r.warn(fmt.Sprintf("the folder's end is not notified: %v", late))
	}
	return err
}

// runTasks runs the tasks of a folder until one fails. name is the folder as the journal names it, "" if
// there was no task, and well how many tasks ended well.
func (r *Runner) runTasks(ctx context.Context, folder string, makePlan func(path string) (*mulligan.Plan, error)) (name string, well int, err error) {
	done := map[string]bool{}
	for ; ; well++ {
		tasks, err := r.listTasks(ctx, folder)
		if err != nil {
			return name, well, err
		}
		next := slices.IndexFunc(tasks, func(t folderTask) bool { return !done[t.name] })
		if next < 0 {
			return name, well, nil
		}
		done[tasks[next].name] = true
		p, err := r.planTask(folder, tasks[next], makePlan)
		if err != nil {
			return name, well, err
		}
		name, p.Task.Position, p.Task.Count = p.Task.Folder, next+1, len(tasks)
		if err := r.RunPlan(ctx, p); err != nil {
			return name, well, err
		}
	}
}

// RunPlan takes a plan to its outcome. One that is not good is a usererror.Exit.
func (r *Runner) RunPlan(ctx context.Context, p *mulligan.Plan) error {
	j, err := r.prepareJob(ctx, p)
	if err != nil || j == nil { // nil: done already, and said so
		return err
	}
	return j.finish(ctx)
}

// finish takes the job's session to its outcome, keeps a record of the session, and closes the job. An outcome that is not
// good is a usererror.Exit.
func (j *job) finish(ctx context.Context) error {
	outcome, err := j.runAndClose(ctx)
	if err != nil {
		return err
	}
	if err := j.Env.DropRunning(j.Root, j.session.State().ID); err != nil { // only now: SettleKilled makes the record of one that was killed before it had one
		return err
	}
	if !outcome.Good() {
		return usererror.Exit(outcome.ExitCode())
	}
	return nil
}

// runAndClose takes the session to its outcome, keeps a record of it, and lets go of the workspace.
func (j *job) runAndClose(ctx context.Context) (mulligan.Outcome, error) {
	defer j.close()
	outcome, err := j.runNoted(ctx)
	if err == nil {
		j.keepRecord(ctx, j.session.State().ID)
	}
	return outcome, err
}

// runNoted takes the session to its outcome, after it has noted where it runs.
func (j *job) runNoted(ctx context.Context) (mulligan.Outcome, error) {
	s := j.session.State()
	if err := j.Env.NoteRunning(j.Root, s.Place.Dir, s.ID); err != nil {
		return mulligan.Outcome{}, err
	}
	defer j.thinInBackground(ctx)()
	return j.run(ctx)
}
