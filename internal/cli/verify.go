package cli

import (
	"context"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/runner"
)

func newVerify(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [SESSION]",
		Short: "Run the checks of a session's verified work once more, in a new clone",
		Long: `Verify makes a clone of what the session verified, makes it ready as for a session, and runs the checks
of its verified steps there once more: what passes, passes in a clone. No agent is asked, and nothing is
recorded or changed. Checks that are expected to fail, and judges, are left out.

` + sessionWords + `

Exit codes:
  0    every check passes
  2    usage, or nothing was verified
  3    a check fails
  6    a check is broken: it could not run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.verify(cmd.Context(), firstArg(args), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdicts as JSON")
	return cmd
}

// verify runs the checks of a session's verified steps once more.
func (a *App) verify(ctx context.Context, given string, asJSON bool) error {
	s, state, err := a.readState(ctx, given)
	if err != nil {
		return err
	}
	return a.reportChecks(nil, asJSON, func(output string, report reportFunc) error {
		b, err := a.openBench(ctx, s.Root, runner.BenchOptions{Command: "verify", Plan: state.Plan, Session: state}, a.messages(asJSON))
		if err != nil {
			return err
		}
		defer b.Close()
		return b.Verify(ctx, state, output, func(c mulligan.CheckSpec, v *mulligan.Verdict) { report(c, v) })
	})
}
