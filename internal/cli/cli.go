// Package cli is the command line: one file per command. A command's constructor only parses;
// what it calls acts.
package cli

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/internal/environ"
	"mulligan/internal/runner"
)

// An App runs commands in one environment.
type App struct {
	*environ.Env
}

// client returns a client for the sessions of other processes.
func (a *App) client() client.Client { return client.New(a.Env) }

// exitTable is the part of the help that lists the exit codes.
const exitTable = `Exit codes:
  0    verified (or accepted: a gate was waived, or there was none, and the outcome says so)
  1    mulligan itself broke
  2    usage or config
  3    gave up: not verified
  4    a limit was reached
  5    waiting for a person
  6    a gate is broken
  7    the agent is unavailable
  8    another session does this task
  130  interrupted`

// sessionWords is the part of the help that says how a command finds its session.
const sessionWords = `SESSION is an id, its beginning or its end, or a loop's name; without one it is this
repository's newest.`

// Run runs one command line and returns the exit code.
func (a *App) Run(ctx context.Context, args []string) (code int) {
	color := environ.IsTerminal(a.Stderr) && a.Getenv("NO_COLOR") == ""
	defer a.RedactOutput()()
	defer func() {
		if broke := recover(); broke != nil {
			fmt.Fprintf(a.Stderr, "mulligan: a fault of its own: %v\n%s\n  the journal has what happened until then; `mulligan resume` goes on\n", broke, debug.Stack())
			code = mulligan.ExitInternal
		}
	}()
	root := a.newRootCommand(args)
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	err := root.ExecuteContext(ctx)
	runner.OpenLauncher(a.Env, reportPlainly).SendExit(err) // if the launcher has not been told of an end yet
	return reportError(a.Stderr, err, color)
}

// newRootCommand returns the command `mulligan` with those below it that a command line needs.
func (a *App) newRootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "mulligan",
		Short: "Run a coding agent in a checked loop",
		Long: `mulligan runs a coding agent in a checked loop: it prompts the agent, examines the work
itself, feeds the evidence back, and tries again within limits, until the work is verified
or a person is needed.

  mulligan demo            see it work, with nothing to set up
  mulligan init            write a mulligan.yaml that fits this repository
  mulligan run TASK.md     steps, checks, feedback, retry, commit
  mulligan loop SPEC.md    iteration by iteration through a spec, until it is verified

` + exitTable,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              refuseUnknownCommand,
		PersistentPreRunE: a.checkAccess,
		RunE:              showHelp,
	}
	root.SetFlagErrorFunc(explainFlagError)
	root.PersistentFlags().StringVar(&a.Engine, "engine", "", "where the journal is kept: embedded, or nats://host:4222 (else as the config says)")
	a.addCommands(root, args)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		a.addCompletions(root)
	}
	return root
}
