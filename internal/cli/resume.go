package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/internal/runner"
	"mulligan/internal/sessions"
)

func newResume(a *App) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "resume [SESSION]",
		Short: "Go on with a session that was interrupted or killed",
		Long: `Resume goes on where the journal says the session stood, with its plan, counters and
limits as they were. A turn that was cut short is given again, on the tree that it found;
what it had done is kept (` + "`mulligan take SESSION aside-1`" + `). Verified steps stay verified.

Without an id it is this repository's newest session that is not finished. One that failed
is run again with ` + "`mulligan run TASK.md`" + `, which counts its attempts anew.

` + exitTable,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Forwarded = a.forwardFlags(cmd)
			return a.resume(cmd.Context(), firstArg(args), opt)
		},
	}
	cmd.Flags().BoolVar(&opt.Carry, "carry", false, "take uncommitted work along, as a commit of its own on the session's branch")
	addSessionFlags(a, cmd, &opt)
	return cmd
}

func (a *App) resume(ctx context.Context, given string, opt runOptions) error {
	s, err := a.client().Find(ctx, given, sessions.CanResume)
	if errors.Is(err, client.ErrNoneFits) {
		s, err = a.client().Find(ctx, given, nil)
	}
	if err != nil {
		return err
	}
	if !sessions.CanResume(s) {
		return sessions.OverError(s) // before there is a process
	}
	if err := runner.SettleKilled(ctx, a.Env, s.Root); err != nil {
		return err
	}
	return a.runSession(ctx, s.Root, opt, []string{"resume", s.ID}, func(ctx context.Context, r *runner.Runner) error {
		return r.ResumeSession(ctx, s, func(old *mulligan.Plan) (*mulligan.Plan, error) { return a.remakePlan(s.Root, old) })
	})
}
