package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/plan"
	"mulligan/view"
)

// loadNotedConfig reads the config and prints what a person should know about it.
func (a *App) loadNotedConfig(root string, opt runOptions) (*config.Config, error) {
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil {
		return nil, err
	}
	a.printNotes(c)
	return c, nil
}

// printNotes prints what a person should know about a config that was read.
func (a *App) printNotes(c *config.Config) {
	for _, note := range c.Notes {
		fmt.Fprintln(a.Stderr, "mulligan: "+view.Line(note))
	}
}

// checkPrograms refuses to begin a plan whose checks and hooks could not run, or of a config that waits for
// trust.
func (a *App) checkPrograms(root string, c *config.Config, opt runOptions, p *mulligan.Plan) error {
	if err := a.CheckTrust(root, opt.Config, c); err != nil {
		return err
	}
	return plan.CheckPrograms(c, root, a.Environ, p)
}

// makePlan makes the plan of one task.
func (a *App) makePlan(root string, c *config.Config, path, folder string, opt runOptions) (*mulligan.Plan, error) {
	task, front := mulligan.Task{Text: opt.Text}, plan.Front{}
	if opt.Text == "" {
		var err error
		if task, front, err = plan.ReadTask(path, a.nameTask(path, opt)); err != nil {
			return nil, err
		}
	}
	if folder != "" {
		task.Folder = environ.RelativeTo(root, folder)
	}
	return a.planTask(root, c, task, front, opt)
}

// nameTask returns the path of a task's file as the person gave it, or below the folder that they gave.
func (a *App) nameTask(path string, opt runOptions) string {
	below, err := filepath.Rel(a.Abs(opt.Path), path)
	if err != nil {
		return path
	}
	return filepath.Join(opt.Path, below)
}

// planTask makes the plan of a task that was read.
func (a *App) planTask(root string, c *config.Config, task mulligan.Task, front plan.Front, opt runOptions) (*mulligan.Plan, error) {
	p, err := plan.Make(plan.Request{
		Config: c, Catalog: builtin.Catalog(), Root: root, ConfigFile: a.ConfigPath(root, opt.Config),
		Pipeline: opt.Pipeline, Task: task, Front: front, Merge: opt.Merge,
		Ask: opt.Ask, NoWait: opt.NoWait, PauseAfter: opt.PauseAfter, YesRollback: opt.YesRollback,
		Secrets: a.Secrets.Clean, Environ: a.Environ, Confines: a.Confines(),
	})
	if err != nil {
		return nil, err
	}
	p.Given = a.givenFlags(opt)
	return p, nil
}

// givenFlags returns what a plan has to know of the flags to be made again.
func (a *App) givenFlags(opt runOptions) mulligan.Given {
	g := mulligan.Given{Agent: opt.Agent, Iterations: opt.Iterations, Checks: opt.Checks}
	if len(opt.Checks) > 0 {
		g.Retry = opt.Retry
	}
	if opt.Config != "" {
		g.Config = a.Abs(opt.Config)
	}
	return g
}

// remakePlan makes the plan of a session again, of the config as it is now. Task, name and flags are those
// that the session began with. Where there is no config any more, it is the plan as it was.
func (a *App) remakePlan(root string, old *mulligan.Plan) (*mulligan.Plan, error) {
	opt := runOptions{
		Config: old.Given.Config, Agent: old.Given.Agent, Iterations: old.Given.Iterations, Pipeline: old.Pipeline, PauseAfter: old.PauseAfter,
		Checks: old.Given.Checks, Retry: old.Given.Retry, Ask: old.People.Ask, NoWait: old.Limits.NoWait, Merge: old.Git.Merge, Name: old.Name(),
	}
	opt.YesRollback = old.Retry != nil && old.Retry.YesRollback
	if _, err := os.Stat(a.ConfigPath(root, opt.Config)); errors.Is(err, fs.ErrNotExist) {
		return old, nil // the branch that is checked out has none
	}
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil {
		return nil, err
	}
	if err := a.CheckTrust(root, opt.Config, c); err != nil {
		return nil, err
	}
	a.printNotes(c)
	task := old.Task
	if task.Path != "" {
		task.Path = a.absIn(root, task.Path)
	}
	if old.Loop != nil {
		return a.planLoop(root, c, task, plan.Front{}, opt)
	}
	return a.planTask(root, c, task, plan.Front{}, opt)
}

// absIn returns a path, relative to root if it is not absolute.
func (a *App) absIn(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, filepath.FromSlash(path))
}
