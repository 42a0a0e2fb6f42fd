package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mulligan"
	"mulligan/internal/runner"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
	"mulligan/plan"
)

// runOptions are the flags and arguments of the commands that run sessions.
type runOptions struct {
	runner.Options
	Path       string // a task file, or a folder of them, or a task's text
	Text       string // the text of a task that has no file
	Checks     []string
	Retry      int
	Pipeline   string
	Config     string
	Agent      string
	Merge      bool
	Foreground bool
	Quiet      bool
	Detach     bool
	Ask        bool
	NoWait     bool
	NoNotify   bool
	PauseAfter string
	Forwarded  []string // the flags for a process of its own
	Name       string   // of a loop
	Iterations *int     // of a loop; nil if it was not given
}

func newRun(a *App) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "run TASK.md|FOLDER|TEXT|-",
		Short: "Run a task through a pipeline: prompt, check, feed back, retry, commit",
		Long: `Run takes the steps of a pipeline in order. In each the agent gets a prompt, the checks
examine what it left, and where they fail their output goes back to the agent, at most
` + "`retry`" + ` times. The agent works in a clone of the repository, and the checks run in
a second one: your files, your branch and what is staged stay as they are. A step whose checks
pass is committed, and your repository gets it as a branch, mulligan/TASK-x7q2.

The task is a markdown file, or a text in quotes, or - for a text on standard input:

  mulligan run "Fix the rounding in Sum" --agent claude --check "go test ./..."

No config is needed: without mulligan.yaml the agent is the first installed of claude, codex,
gemini, opencode and aider, and the checks are the repository's own test command; --agent and --check
say otherwise. ` + "`mulligan init`" + ` writes down what was used. With a config, --check replaces its
pipelines for this run.

A folder is run task by task: every *.md that does not begin with _, by name, until one
fails. The folder is read again after each, so a task can add tasks.

The same task after a failure goes on with its session: verified steps are skipped. After
success it says so and does nothing; --restart does it again.

On a terminal the session is a process of its own and this one shows it: closing the
terminal, or q, leaves it running; Ctrl-C stops it, twice at once.

` + exitTable,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed(textFlag) {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Path, opt.Forwarded = strings.Join(args, ""), a.forwardFlags(cmd)
			if cmd.Flags().Changed("retry") && len(opt.Checks) == 0 && (opt.Config != "" || a.hasConfigHere()) {
				return usererror.Usage("--retry is for a run whose checks are given by --check", "in mulligan.yaml it is the step's own: retry: 3")
			}
			return a.run(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opt.Pipeline, "pipeline", "p", "", "the pipeline to run (else the task's front matter, default_pipeline, the first)")
	f.StringVar(&opt.Agent, "agent", "", "the agent for every step that names none")
	f.StringArrayVar(&opt.Checks, "check", nil, "a command that has to pass; may be repeated (instead of the pipelines of a config)")
	f.IntVar(&opt.Retry, "retry", usualRetry, "with --check, or without a config: how often failed checks are fed back")
	f.StringVar(&opt.Text, textFlag, "", "the text of the task")
	_ = f.MarkHidden(textFlag) // the process that runs a session is given it
	f.StringVar(&opt.From, "from", "", "go on with the task's session from this step")
	f.StringVar(&opt.PauseAfter, "pause-after", "", "pause after this step, and before each retry of it")
	addBeginFlags(cmd, &opt)
	addSessionFlags(a, cmd, &opt)
	cmd.MarkFlagsMutuallyExclusive("from", "restart")
	cmd.MarkFlagsMutuallyExclusive("check", "pipeline")
	return cmd
}

// addBeginFlags adds the flags of every command that may begin a session.
func addBeginFlags(cmd *cobra.Command, opt *runOptions) {
	f := cmd.Flags()
	f.BoolVar(&opt.Restart, "restart", false, "begin a new session, whatever became of the last")
	f.BoolVar(&opt.Carry, "carry", false, "take uncommitted work along, as a commit of its own on the session's branch")
	f.BoolVar(&opt.Merge, "merge", false, "fast-forward your branch when the session is verified, where your checkout is clean and the branch is where it was")
	f.BoolVar(&opt.Ask, "ask", false, "wait for a person's answer for as long as it takes")
	f.BoolVar(&opt.NoWait, "no-wait", false, "end the session at a rate limit, exit 7, rather than wait for it to pass")
}

// yesRollback is the flag of a person's yes to rollbacks.
const yesRollback = "yes-rollback"

// addSessionFlags adds the flags of every command that runs a session.
func addSessionFlags(a *App, cmd *cobra.Command, opt *runOptions) {
	f := cmd.Flags()
	f.StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	f.BoolVar(&a.Trust, trustFlag, false, "trust what the repository's own config may not decide alone, for this run (as 'mulligan trust' does for good)")
	f.BoolVar(&opt.YesRollback, yesRollback, false, "agree beforehand to every rollback that is recommended; else a person is asked")
	f.BoolVar(&opt.Foreground, "foreground", false, "run the session in this process, also on a terminal")
	f.BoolVarP(&opt.Detach, "detach", "d", false, "start the session and return")
	f.BoolVar(&opt.JSON, "json", false, "print events as JSON lines")
	f.BoolVarP(&opt.Quiet, "quiet", "q", false, "leave out what the agent says and does, which 'mulligan show' prints later")
	f.BoolVar(&opt.NoNotify, "no-notify", false, "notify nobody, whatever the config says")
	f.Var((*listenAddress)(&opt.Listen), "listen", "tell the events to NATS clients of this machine: 127.0.0.1:PORT, 0 for any that is free")
	cmd.MarkFlagsMutuallyExclusive("foreground", "detach")
}

// run runs a task, or a folder of them, in this process or in one of its own.
func (a *App) run(ctx context.Context, opt runOptions) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	if err := runner.SettleKilled(ctx, a.Env, root); err != nil {
		return err
	}
	if err := a.readTaskText(&opt); err != nil {
		return err
	}
	tasks, folder, err := a.listTasks(opt)
	if err != nil {
		return err
	}
	if err := a.fillDefaults(ctx, root, &opt); err != nil {
		return err
	}
	c, err := a.loadNotedConfig(root, opt)
	if err != nil {
		return err
	}
	// Every mistake that can be found without running anything is found here, before
	// a session, a branch or a process exists.
	plans := make([]*mulligan.Plan, len(tasks))
	for i, task := range tasks {
		if plans[i], err = a.makePlan(root, c, task, folder, opt); err != nil {
			return err
		}
	}
	if err := a.checkPrograms(root, c, opt, plans[0]); err != nil { // the others' programs may be made by the tasks before them
		return err
	}
	if err := a.ChooseEngine(root, opt.Config); err != nil {
		return err
	}
	return a.runSession(ctx, root, opt, a.formatRun(opt), func(ctx context.Context, r *runner.Runner) error {
		if folder == "" {
			return r.RunPlan(ctx, plans[0])
		}
		return r.RunFolder(ctx, folder, func(path string) (*mulligan.Plan, error) {
			c, err := a.LoadConfig(root, opt.configFlags()) // a task may have changed it
			if err != nil {
				return nil, err
			}
			p, err := a.makePlan(root, c, path, folder, opt)
			if err != nil {
				return nil, err
			}
			return p, a.checkPrograms(root, c, opt, p)
		})
	})
}

// runSession runs a command as a process of its own, and shows its session unless --detach is given; or
// it does what the command does by calling f with a runner of sessions in this process.
func (a *App) runSession(ctx context.Context, root string, opt runOptions, command []string, f func(context.Context, *runner.Runner) error) error {
	args := append(command, opt.Forwarded...)
	switch {
	case opt.Detach:
		return a.client().Launch(ctx, args, nil)
	case a.Interactive() && !opt.Foreground && !opt.JSON:
		return a.client().Launch(ctx, args, a.watchSession)
	}
	return runner.With(ctx, runner.Config{
		Env: a.Env, Root: root, Options: opt.Options, Report: reportPlainly, Notify: a.notifySettings(root, opt),
		NewView: func() (view runner.EventView, closeView func()) {
			if opt.Quiet {
				view, closeView = a.newFollowingView(opt.JSON)
			} else {
				view, closeView = a.newWorkingView(opt.JSON)
			}
			if r := a.newRinger(0); r != nil && !opt.JSON {
				view = ringingView{view, r}
			}
			return view, closeView
		},
	}, f)
}

// formatRun returns the arguments that make another process run the same task.
func (a *App) formatRun(opt runOptions) []string {
	args := []string{"run"}
	if opt.Text != "" {
		args = append(args, "--"+textFlag+"="+opt.Text)
	} else {
		args = append(args, a.Abs(opt.Path))
	}
	if opt.Agent != "" {
		args = append(args, "--agent="+opt.Agent)
	}
	for _, check := range opt.Checks {
		args = append(args, "--check="+check)
	}
	if len(opt.Checks) > 0 {
		args = append(args, fmt.Sprintf("--retry=%d", opt.Retry))
	}
	return args
}

// listTasks returns the task files that the argument names, and the folder if it is one. For a task that
// has no file it is one path that is "".
func (a *App) listTasks(opt runOptions) (tasks []string, folder string, err error) {
	if opt.Text != "" {
		return []string{""}, "", nil
	}
	path := opt.Path
	if path == "" {
		return nil, "", usererror.Usage("no task is named: the argument is empty", "give the path of a task's file, or of a folder of them, or say what is to be done")
	}
	full := a.Abs(path)
	info, err := os.Stat(full)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil, "", usererror.Usage(fmt.Sprintf("the task %s does not exist", path), `write what is to be done in a markdown file and give its path, or say it in quotes: mulligan run "Fix the rounding in Sum"`)
		}
		return nil, "", usererror.Usage(err.Error(), "")
	}
	if !info.IsDir() {
		return []string{full}, "", nil
	}
	tasks, err = plan.Tasks(full)
	if err == nil && len(tasks) == 0 {
		err = usererror.Usage(fmt.Sprintf("the folder %s has no task", path), "tasks are its *.md files whose names do not begin with _")
	}
	return tasks, full, err
}

// A listenAddress is the value of --listen.
type listenAddress string

func (l *listenAddress) String() string { return string(*l) }

// Type returns what the help calls the value.
func (l *listenAddress) Type() string { return "address" }

// Set refuses an address that other machines could reach, before anything has begun.
func (l *listenAddress) Set(text string) error {
	if _, _, err := jetstream.Loopback(text); err != nil {
		return err
	}
	*l = listenAddress(text)
	return nil
}

// forwardFlags returns the flags of a command that make another process run the same session. --engine
// is not among them: client.Launch passes it on where no list of processes shows its password.
func (a *App) forwardFlags(cmd *cobra.Command) []string {
	args := []string{"--foreground", "--quiet"} // the watching process shows what the agent says
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "foreground", "quiet", "detach", "json", "engine":
		case "agent", "check", "retry", textFlag:
			if cmd.Name() != "run" { // formatRun has them
				args = append(args, "--"+f.Name+"="+f.Value.String())
			}
		case "config":
			args = append(args, "--config", a.Abs(f.Value.String()))
		default:
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	return args
}
