package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/feedback"
	"mulligan/internal/builtin"
	"mulligan/internal/detect"
	"mulligan/internal/doctor"
	"mulligan/internal/runner"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/plan"
	"mulligan/view"
)

func newCheck(a *App) *cobra.Command {
	var opt checkOptions
	cmd := &cobra.Command{
		Use:   "check [STEP]",
		Short: "Run the checks on the files as they are, without an agent",
		Long: `Check runs the checks of a pipeline, or of one step, on your files as they are, and prints what
an agent would be told of those that fail. No agent is asked and nothing is committed or put back: what
a check writes stays, as if you had given its command yourself. A judge is left out.

With --proof it runs them in a clone at HEAD that is made ready as for a session, with the config and the
files that it names as they are now: what a session would see, before it has cost anything. Your files
are not touched.

Without mulligan.yaml it runs the test command of the repository, as ` + "`mulligan run`" + ` would.

Exit codes:
  0    every check passes
  2    usage or config
  3    a check fails
  6    a check is broken: it could not run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runChecks(cmd.Context(), firstArg(args), opt)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	f.StringVarP(&opt.Pipeline, "pipeline", "p", "", "the pipeline whose checks to run (else default_pipeline, the first)")
	f.StringArrayVar(&opt.Checks, "check", nil, "a command to run instead of the checks of a config; may be repeated")
	f.BoolVar(&a.Trust, trustFlag, false, "trust what the repository's own config may not decide alone, for this run (as 'mulligan trust' does for good)")
	f.BoolVar(&opt.Proof, "proof", false, "run them in a clone at HEAD, as a session would")
	f.BoolVar(&opt.AsJSON, "json", false, "print the verdicts as JSON")
	return cmd
}

// checkOptions are the flags of `check`.
type checkOptions struct {
	runOptions
	Proof  bool
	AsJSON bool
}

// checkJSON is what `check --json` prints.
type checkJSON struct {
	Version  int                `json:"v"`
	Status   mulligan.Status    `json:"status"`
	Verdicts []mulligan.Verdict `json:"verdicts"`
	Skipped  []string           `json:"skipped,omitempty"`
}

// runChecks runs the checks of a step, or of all steps of a pipeline if step is "".
func (a *App) runChecks(ctx context.Context, step string, opt checkOptions) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	if err := a.fillChecks(ctx, root, &opt.runOptions); err != nil {
		return err
	}
	p, err := a.planChecks(root, step, opt.runOptions)
	if err != nil {
		return err
	}
	if !hasCheckedStep(p, step) {
		return usererror.Usage(fmt.Sprintf("there is no step %q in pipeline %s", step, p.Pipeline), "`mulligan validate` prints the steps")
	}
	checks, skipped := listChecks(p, step)
	if len(checks) == 0 {
		return usererror.Usage("there is no check to run", "put one under check: of a step in mulligan.yaml, or give one: --check \"make test\"")
	}
	return a.reportChecks(skipped, opt.AsJSON, func(output string, report reportFunc) error {
		if !opt.Proof {
			return doctor.RunChecks(ctx, a.Env, root, output, checks, report)
		}
		b, err := a.openBench(ctx, root, runner.BenchOptions{Command: "check", Plan: p}, a.messages(opt.AsJSON))
		if err != nil {
			return err
		}
		defer b.Close()
		if _, err := b.Lay(ctx); err != nil {
			return err
		}
		return b.Check(ctx, checks, output, report)
	})
}

// A reportFunc is told of a check before it runs, with a nil verdict, and after it.
type reportFunc func(mulligan.CheckSpec, *mulligan.Verdict)

// reportChecks prints the verdicts of the checks that run runs, and returns the exit code. Their outputs are in a folder,
// which stays where one did not pass.
func (a *App) reportChecks(skipped []string, asJSON bool, run func(output string, report reportFunc) error) error {
	output, err := os.MkdirTemp(a.Getenv("TMPDIR"), "mulligan-check-")
	if err != nil {
		return err
	}
	result := checkJSON{Version: 1, Status: mulligan.Pass, Verdicts: []mulligan.Verdict{}, Skipped: skipped}
	err = run(output, func(c mulligan.CheckSpec, v *mulligan.Verdict) {
		if v != nil {
			result.add(*v)
		}
		if !asJSON {
			a.printVerdict(c, v)
		}
	})
	if err != nil || result.Status == mulligan.Pass {
		os.RemoveAll(output) // nothing to look at
	}
	if err != nil {
		return err
	}
	return a.endChecks(result, asJSON)
}

// messages returns where a command prints what it does: standard error if its output is for programs.
func (a *App) messages(asJSON bool) io.Writer {
	if asJSON {
		return a.Stderr
	}
	return a.Stdout
}

// openBench makes a proof of the repository in root ready for a command that only checks, and prints to w what it does.
func (a *App) openBench(ctx context.Context, root string, opt runner.BenchOptions, w io.Writer) (*runner.Bench, error) {
	env := *a.Env
	env.Stdout = w
	return runner.OpenBench(ctx, runner.Config{Env: &env, Root: root, Report: reportPlainly}, opt)
}

// add adds a verdict. The worst decides.
func (r *checkJSON) add(v mulligan.Verdict) {
	r.Verdicts = append(r.Verdicts, v)
	if v.Status == mulligan.Broken || r.Status == mulligan.Pass {
		r.Status = v.Status
	}
}

// planChecks returns the plan whose checks are to run: that of the loop if step is its name, else that of
// the pipeline.
func (a *App) planChecks(root, step string, opt runOptions) (*mulligan.Plan, error) {
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil {
		return nil, err
	}
	if !c.Get("agent").IsSet() && c.Err() == nil && len(opt.Checks) > 0 {
		opt.Agent = detect.AgentNames()[0] // a plan has one; none is asked here
		if c, err = a.LoadConfig(root, opt.configFlags()); err != nil {
			return nil, err
		}
	}
	if err := a.CheckTrust(root, opt.Config, c); err != nil {
		return nil, err
	}
	plans, err := plan.All(plan.Request{Config: c, Catalog: builtin.Catalog(), Root: root, Secrets: a.Secrets.Clean, Environ: a.Environ, Confines: a.Confines()})
	if err != nil {
		return nil, err
	}
	want := opt.Pipeline
	if want == "" {
		want = c.Get("default_pipeline").String()
	}
	var names []string
	for _, p := range plans {
		isLoop := p.Loop != nil
		switch {
		case isLoop && (step != "" && step == p.Name() || want == "" && len(names) == 0):
			return p, plan.CheckPrograms(c, root, a.Environ, p)
		case isLoop:
			continue
		case want == p.Pipeline, want == "" && hasCheckedStep(p, step):
			return p, plan.CheckPrograms(c, root, a.Environ, p)
		}
		names = append(names, p.Pipeline)
	}
	if want != "" {
		return nil, usererror.Usage(fmt.Sprintf("there is no pipeline %q", want), "the pipelines are "+strings.Join(names, ", "))
	}
	return nil, usererror.Usage(fmt.Sprintf("there is no step %q", step), "`mulligan validate` prints the steps")
}

// hasCheckedStep reports whether a plan has the step, or whether none is named.
func hasCheckedStep(p *mulligan.Plan, name string) bool {
	return name == "" || slices.ContainsFunc(p.Steps, func(s mulligan.Step) bool { return s.Name == name })
}

// listChecks returns the checks of a plan's step, or of all its steps, each once, and the names of the judges
// among them, which are not asked.
func listChecks(p *mulligan.Plan, step string) (checks []mulligan.CheckSpec, judges []string) {
	seen := map[string]bool{}
	for _, s := range p.Steps {
		if step != "" && s.Name != step {
			continue
		}
		for _, c := range s.Checks {
			key := c.Type + " " + c.Name + " " + string(c.Options)
			if seen[key] {
				continue
			}
			seen[key] = true
			if c.Agent != "" {
				judges = append(judges, c.Name)
			} else {
				checks = append(checks, c)
			}
		}
	}
	return checks, judges
}

// printVerdict prints that a check runs, or how it ended with what an agent would be told.
func (a *App) printVerdict(c mulligan.CheckSpec, v *mulligan.Verdict) {
	if v == nil {
		return
	}
	word := map[mulligan.Status]string{mulligan.Pass: "passed", mulligan.Fail: "failed", mulligan.Broken: "broken"}[v.Status]
	fmt.Fprintln(a.Stdout, view.Join("  ", fmt.Sprintf("%-6s", word), view.Line(c.Name), view.Duration(v.Duration), view.Summary(*v)))
	if v.Status != mulligan.Fail {
		return
	}
	told := feedback.Prompter{}.Feedback(mulligan.Step{}, mulligan.AttemptState{Number: 1, Verdicts: []mulligan.Verdict{*v}}, nil)
	for line := range strings.Lines(view.Text(told)) {
		fmt.Fprintln(a.Stdout, "  │ "+strings.TrimRight(line, "\n"))
	}
}

// endChecks prints what all checks came to, and returns the exit code.
func (a *App) endChecks(r checkJSON, asJSON bool) error {
	if asJSON {
		if err := a.printJSON(r); err != nil {
			return err
		}
	} else {
		failed := 0
		for _, v := range r.Verdicts {
			if v.Status != mulligan.Pass {
				failed++
			}
		}
		for _, name := range r.Skipped {
			fmt.Fprintf(a.Stdout, "left out: the judge %s\n", view.Line(name))
		}
		if failed == 0 {
			fmt.Fprintf(a.Stdout, "%s passed\n", text.Count(len(r.Verdicts), "check"))
		} else {
			fmt.Fprintf(a.Stdout, "%d of %s did not pass\n", failed, text.Count(len(r.Verdicts), "check"))
		}
	}
	switch r.Status {
	case mulligan.Pass:
		return nil
	case mulligan.Broken:
		return usererror.Exit(mulligan.ExitGateBroken)
	default:
		return usererror.Exit(mulligan.ExitGaveUp)
	}
}
