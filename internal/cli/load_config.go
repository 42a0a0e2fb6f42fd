package cli

import (
	"fmt"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/plan"
)

// printConfigNotes reads the config and prints what a person should know about it.
func (a *App) printConfigNotes(root string, opt runOptions) error {
	c, err := a.LoadConfig(root, opt.Config, opt.Agent)
	if err != nil {
		return err
	}
	for _, note := range c.Notes {
		fmt.Fprintln(a.Stderr, "mulligan: "+note)
	}
	return nil
}

// makePlan makes the plan of one task.
func (a *App) makePlan(root, path, folder string, opt runOptions) (*mulligan.Plan, error) {
	task, front, err := plan.ReadTask(path)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		task.Folder = environ.RelativeTo(root, folder)
	}
	c, err := a.LoadConfig(root, opt.Config, opt.Agent)
	if err != nil {
		return nil, err
	}
	return plan.Make(plan.Request{
		Config: c, Catalog: builtin.Catalog(), Root: root,
		Pipeline: opt.Pipeline, Task: task, Front: front, Worktree: opt.Worktree,
		Ask: opt.Ask, NoWait: opt.NoWait, PauseAfter: opt.PauseAfter,
		Secrets: a.Secrets.Clean, Environ: a.Environ,
	})
}
