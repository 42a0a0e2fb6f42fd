package cli

import (
	"context"
	"fmt"
	"strings"

	"mulligan/internal/detect"
	"mulligan/internal/environ"
	"mulligan/internal/usererror"
	"mulligan/view"
)

// usualRetry is how often a pipeline of --check retries if --retry does not say.
const usualRetry = 3

// configFlags returns the flags that choose or change the config.
func (opt runOptions) configFlags() environ.ConfigFlags {
	return environ.ConfigFlags{File: opt.Config, Agent: opt.Agent, Checks: opt.Checks, Retry: opt.Retry}
}

// fillDefaults finds the agent and the checks of a run in a repository that has no config, and prints
// which they are. Where there is a config it decides, and nothing is looked for.
func (a *App) fillDefaults(ctx context.Context, root string, opt *runOptions) error {
	if opt.Config != "" || a.HasConfig(root) {
		return nil
	}
	if err := a.CheckConfigName(root); err != nil {
		return err
	}
	if err := a.fillChecks(ctx, root, opt); err != nil {
		return err
	}
	return a.fillAgent(root, opt)
}

// fillChecks finds the checks of a repository that has no config, if no flag gives them, and tries them.
func (a *App) fillChecks(ctx context.Context, root string, opt *runOptions) error {
	if opt.Config != "" || len(opt.Checks) > 0 || a.HasConfig(root) {
		return nil
	}
	if err := a.CheckConfigName(root); err != nil {
		return err
	}
	found, err := detect.Find(ctx, root, a.Environ)
	if err != nil {
		return err
	}
	for _, c := range found.Failed {
		fmt.Fprintf(a.Stderr, "mulligan: %s\n", describeTried(c))
	}
	if len(found.Checks) == 0 {
		return usererror.Usage("there is no mulligan.yaml, and no command was found that tests this repository", "give one: --check \"make test\"; or let `mulligan init` write a config")
	}
	opt.Checks = found.Lines()
	var checks []string
	for _, c := range found.Checks {
		checks = append(checks, describeTried(c))
	}
	fmt.Fprintf(a.Stderr, "mulligan: no mulligan.yaml: this looks like %s, checked by %s\n", found.Kind, strings.Join(checks, ", "))
	return nil
}

// fillAgent finds the agent of a run that names none, if no config of the user's does.
func (a *App) fillAgent(root string, opt *runOptions) error {
	if opt.Agent != "" {
		return nil
	}
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil || c.Get("agent").IsSet() {
		return err
	}
	names := detect.Agents(root, a.Environ)
	if len(names) == 0 {
		return usererror.Usage("there is no mulligan.yaml, and none of the agents "+strings.Join(detect.AgentNames(), ", ")+" is installed",
			"install one, or name another that your own config defines: --agent NAME")
	}
	opt.Agent = names[0]
	fmt.Fprintf(a.Stderr, "mulligan: no mulligan.yaml: the agent is %s, the first that is installed of %s\n", names[0], strings.Join(detect.AgentNames(), ", "))
	return nil
}

// hasConfigHere reports whether the repository that the command was given in has a config file.
func (a *App) hasConfigHere() bool {
	root, err := a.Root()
	return err == nil && a.HasConfig(root)
}

// describeTried returns a command with how it did, for a sentence.
func describeTried(c detect.Tried) string {
	return view.Line(fmt.Sprintf("`%s` (%s)", c.Line, c.Describe()))
}
