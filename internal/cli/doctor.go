package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/view"
)

// The levels of findings.
const (
	levelOK      = "ok"
	levelWarning = "warning"
	levelProblem = "problem"
)

// A finding is what doctor reports about one thing.
type finding struct {
	Level string   `json:"level"`
	About string   `json:"about"`
	Text  string   `json:"text"`
	Do    string   `json:"do,omitempty"`
	Names []string `json:"names,omitempty"` // of variables
}

// doctorJSON is what `doctor --json` prints.
type doctorJSON struct {
	Version  int       `json:"v"`
	Problems int       `json:"problems"`
	Warnings int       `json:"warnings"`
	Findings []finding `json:"findings"`
}

type doctorOptions struct {
	runOptions
	Answers bool
}

// A doctor checks everything that a session would need, and gathers findings.
type doctor struct {
	*App
	opt      doctorOptions
	pool     *process.Pool
	root     string // "" outside a repository
	plans    []*mulligan.Plan
	findings []finding
}

func newDoctor(a *App) *cobra.Command {
	var opt doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what a session would meet here: agents, git, the journal, what would fail open",
		Long: `Doctor looks at what a session needs, and says of each thing whether it is ok, a warning or
a problem, and what to do about it: git and the repository, the config, the programs of the
agents and their versions, the variables that agents do not get, the journal, and what would
pass though nobody has looked.

Programs of agents that it knows are run with --version and nothing else. Whether an agent
answers costs a turn, and is asked only with --answers.

It exits with 2 where there is a problem, and with 0 where there are at most warnings.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runDoctor(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	f.StringVar(&opt.Agent, "agent", "", "the agent for every step that names none, as of run")
	f.BoolVar(&opt.Answers, "answers", false, "give each agent of the config one short prompt, which may cost money")
	f.BoolVar(&opt.JSON, "json", false, "print it as JSON")
	return cmd
}

// runDoctor checks everything and prints what it finds. A problem is an exit of usage.
func (a *App) runDoctor(ctx context.Context, opt doctorOptions) error {
	d := &doctor{App: a, opt: opt, pool: process.NewPool(process.PoolOptions{})}
	defer d.pool.Close()
	d.checkProgramVersion()
	d.checkGit(ctx)
	d.checkConfig()
	d.checkAgents(ctx)
	d.checkEnvironment()
	d.checkEngine(ctx)
	d.checkConfinement()
	if err := d.printFindings(); err != nil {
		return err
	}
	if d.countLevel(levelProblem) > 0 {
		return usererror.Exit(mulligan.ExitUsage)
	}
	return nil
}

// addFinding adds a finding about a thing. do is what to do about it, or "".
func (d *doctor) addFinding(level, about, do, format string, args ...any) {
	text := view.Line(fmt.Sprintf(format, args...))
	d.findings = append(d.findings, finding{Level: level, About: view.Line(about), Text: text, Do: view.Line(do)})
}

func (d *doctor) addOK(about, format string, args ...any) {
	d.addFinding(levelOK, about, "", format, args...)
}

func (d *doctor) addWarning(about, do, format string, args ...any) {
	d.addFinding(levelWarning, about, do, format, args...)
}

func (d *doctor) addProblem(about, do, format string, args ...any) {
	d.addFinding(levelProblem, about, do, format, args...)
}

// countLevel returns how many findings have a level.
func (d *doctor) countLevel(level string) int {
	n := 0
	for _, f := range d.findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

func (d *doctor) printFindings() error {
	if d.opt.JSON {
		out, err := json.MarshalIndent(doctorJSON{1, d.countLevel(levelProblem), d.countLevel(levelWarning), d.findings}, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(d.Stdout, "%s\n", out)
		}
		return err
	}
	width := len(slices.MaxFunc(d.findings, func(a, b finding) int { return cmp.Compare(len(a.About), len(b.About)) }).About)
	for _, f := range d.findings {
		fmt.Fprintf(d.Stdout, "%-7s  %-*s  %s\n", f.Level, width, f.About, f.Text)
		if f.Do != "" {
			fmt.Fprintf(d.Stdout, "%-7s  %-*s  -> %s\n", "", width, "", f.Do)
		}
	}
	_, err := fmt.Fprintf(d.Stdout, "%s, %s\n", text.Count(d.countLevel(levelProblem), "problem"), text.Count(d.countLevel(levelWarning), "warning"))
	return err
}
