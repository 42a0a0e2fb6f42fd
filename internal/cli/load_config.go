package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/usererror"
	"mulligan/plan"
)

// loadConfig reads the layers of the config. That there is no project file is an error of usage.
func (a *App) loadConfig(root string, opt runOptions) (*config.Config, error) {
	path := filepath.Join(root, "mulligan.yaml")
	if opt.Config != "" {
		path = a.Abs(opt.Config)
		a.Project = path
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		hint := "`mulligan init` writes one that fits this repository"
		if opt.Config != "" {
			hint = "--config names a file that is there"
		}
		return nil, usererror.Usage(fmt.Sprintf("there is no %s", relativeTo(a.Dir, path)), hint)
	}
	flags := a.EngineSettings()
	if opt.Agent != "" {
		flags = append(flags, config.FlagSetting("agent", opt.Agent, "agent"))
	}
	schema := builtin.Schema()
	return schema.Load(config.Sources{Flags: flags, Environ: a.Environ, Project: path, User: config.UserFile(a.Environ), Dir: a.Dir}), nil
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
		task.Folder = relativeTo(root, folder)
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

// relativeTo returns path relative to root if it lies inside, else the path itself.
func relativeTo(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}
