package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/runner"
	"mulligan/internal/usererror"
	"mulligan/plan"
)

func newLoop(a *App) *cobra.Command {
	var opt runOptions
	iterations := 0
	cmd := &cobra.Command{
		Use:   "loop SPEC.md",
		Short: "Have the agent work through a spec, iteration by iteration, until it is verified",
		Long: `Loop gives the agent the spec in a fresh conversation, again and again. It tracks its tasks
and notes with tools (` + "`mulligan task`" + `, or over MCP), and every iteration's prompt has them, what
changed, and what the checks found. After each iteration the loop's check runs; what the
iteration changed is committed, and says whether the checks passed on it.

The agent ends the loop by saying that the session is complete. That is a claim: it is refused
while a task is open, and then has to pass check and final_check. Without that the loop ends
at its limit of iterations, exit 4.

The same spec after that goes on with its session, iterations counted anew. ` + "`mulligan tell`" + `
says something to the agent, ` + "`mulligan pause`" + ` and ` + "`stop`" + ` do what they say.

` + exitTable,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Path, opt.Forwarded = args[0], a.forwardFlags(cmd)
			if cmd.Flags().Changed("iterations") {
				opt.Iterations = &iterations
			}
			return a.runLoop(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&iterations, "iterations", "n", 0, "at most so many iterations; 0 is no such limit (else as the config says: 20)")
	f.StringVar(&opt.Name, "name", "", "the session's name (default: the spec's file name)")
	f.StringVar(&opt.Agent, "agent", "", "the agent")
	addBeginFlags(cmd, &opt)
	addSessionFlags(a, cmd, &opt)
	return cmd
}

// runLoop runs a loop on a spec.
func (a *App) runLoop(ctx context.Context, opt runOptions) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	if err := runner.SettleKilled(ctx, a.Env, root); err != nil {
		return err
	}
	if err := a.checkSpec(opt.Path); err != nil {
		return err
	}
	c, err := a.loadNotedConfig(root, opt)
	if err != nil {
		return err
	}
	p, err := a.makeLoopPlan(root, c, opt)
	if err == nil {
		err = a.checkPrograms(root, c, opt, p)
	}
	if err != nil {
		return err
	}
	if err := a.ChooseEngine(root, opt.Config); err != nil {
		return err
	}
	return a.runSession(ctx, root, opt, []string{"loop", a.Abs(opt.Path)}, func(ctx context.Context, r *runner.Runner) error {
		return r.RunPlan(ctx, p)
	})
}

// checkSpec refuses a path that is no spec.
func (a *App) checkSpec(path string) error {
	info, err := os.Stat(a.Abs(path))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return usererror.Usage(fmt.Sprintf("the spec %s does not exist", path), "write what is to be built in a markdown file and give its path")
	case err != nil:
		return usererror.Usage(err.Error(), "")
	case info.IsDir():
		return usererror.Usage(fmt.Sprintf("the spec %s is a folder", path), "a loop works on one file; `mulligan run` takes a folder of tasks")
	}
	return nil
}

// makeLoopPlan makes the plan of a loop.
func (a *App) makeLoopPlan(root string, c *config.Config, opt runOptions) (*mulligan.Plan, error) {
	spec, front, err := plan.ReadSpec(a.Abs(opt.Path), opt.Path)
	if err != nil {
		return nil, err
	}
	return a.planLoop(root, c, spec, front, opt)
}

// planLoop makes the plan of a loop whose spec was read.
func (a *App) planLoop(root string, c *config.Config, spec mulligan.Task, front plan.Front, opt runOptions) (*mulligan.Plan, error) {
	p, err := plan.MakeLoop(plan.LoopRequest{
		ConfigFile: a.ConfigPath(root, opt.Config), Config: c, Catalog: builtin.Catalog(), Root: root, Spec: spec, Front: front,
		Name: opt.Name, Iterations: opt.Iterations, Ask: opt.Ask, NoWait: opt.NoWait, Merge: opt.Merge, YesRollback: opt.YesRollback,
		Secrets: a.Secrets.Clean, Environ: a.Environ,
	})
	if err != nil {
		return nil, err
	}
	p.Given = a.givenFlags(opt)
	return p, nil
}
