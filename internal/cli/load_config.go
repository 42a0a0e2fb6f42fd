package cli

import (
	"fmt"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/plan"
)

// loadConfig reads the layers of the config.
func (a *App) loadConfig(root string, opt runOptions) (*config.Config, error) {
	return a.LoadConfig(root, opt.Config, opt.Agent)
}

// printConfigNotes reads the config and prints what a person should know about it.
func (a *App) printConfigNotes(root string, opt runOptions) error {
	c, err := a.loadConfig(root, opt)
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
	c, err := a.loadConfig(root, opt)
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
