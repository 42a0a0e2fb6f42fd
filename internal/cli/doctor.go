package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/doctor"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
)

// doctorJSON is what `doctor --json` prints.
type doctorJSON struct {
	Version  int              `json:"v"`
	Problems int              `json:"problems"`
	Warnings int              `json:"warnings"`
	Findings []doctor.Finding `json:"findings"`
}

func newDoctor(a *App) *cobra.Command {
	var opt doctor.Options
	var asJSON, prove bool
	var within time.Duration
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what a session would meet here: agents, git, the journal, what would fail open",
		Long: `Doctor looks at what a session needs, and says of each thing whether it is ok, a warning or
a problem, and what to do about it: git and the repository, the config, whether its checks start, the
programs of the agents and their versions, the variables that agents do not get, the journal, and what
would pass though nobody has looked. Without a config it says what init would choose.

Programs of agents and checks that it knows are run with --version and nothing else, outside of the
repository. Whether an agent answers costs a turn, and is asked only with --answers.

It exits with 2 where there is a problem, and with 0 where there are at most warnings.

With --prove it shows instead that the gates of the config can block. Each check and each Stop hook
that is a command runs in a clone at HEAD, first on the files as they are, then on changes that are
known to be bad: source files that are not programs, or are empty, tests that are deleted, a wanted
file that is not there. Your checkout is left alone; what a check does outside the clone, it does. Judges are not asked: they cost money. It exits with 6 where a gate passes every bad change.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if prove {
				return a.runProve(cmd.Context(), opt, within, asJSON)
			}
			return a.runDoctor(cmd.Context(), opt, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	f.StringVar(&opt.Agent, "agent", "", "the agent for every step that names none, as of run")
	f.BoolVar(&opt.Answers, "answers", false, "give each agent of the config one short prompt, which may cost money")
	f.BoolVar(&prove, "prove", false, "run each gate against changes known to be bad, in a clone at HEAD")
	f.DurationVar(&within, "within", 10*time.Minute, "how long --prove may take")
	f.BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// runDoctor checks everything and prints what it finds. A problem is an exit of usage.
func (a *App) runDoctor(ctx context.Context, opt doctor.Options, asJSON bool) error {
	found := doctorJSON{Version: 1, Findings: doctor.Examine(ctx, a.Env, opt)}
	for _, f := range found.Findings {
		switch f.Level {
		case doctor.Problem:
			found.Problems++
		case doctor.Warning:
			found.Warnings++
		}
	}
	if err := a.printFindings(found, asJSON); err != nil {
		return err
	}
	if found.Problems > 0 {
		return usererror.Exit(mulligan.ExitUsage)
	}
	return nil
}

// printFindings prints findings as a table, or as JSON.
func (a *App) printFindings(found doctorJSON, asJSON bool) error {
	if asJSON {
		return a.printJSON(found)
	}
	width := len(slices.MaxFunc(found.Findings, func(a, b doctor.Finding) int { return cmp.Compare(len(a.About), len(b.About)) }).About)
	for _, f := range found.Findings {
		fmt.Fprintf(a.Stdout, "%-7s  %-*s  %s\n", f.Level, width, f.About, f.Text)
		if f.Do != "" {
			fmt.Fprintf(a.Stdout, "%-7s  %-*s  -> %s\n", "", width, "", f.Do)
		}
	}
	_, err := fmt.Fprintf(a.Stdout, "%s, %s\n", text.Count(found.Problems, "problem"), text.Count(found.Warnings, "warning"))
	return err
}
