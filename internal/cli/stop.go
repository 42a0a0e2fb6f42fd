package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/internal/protocol"
	"mulligan/internal/runner"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
	"mulligan/view"
	"mulligan/view/plain"
)

func newStop(a *App) *cobra.Command {
	var now bool
	cmd := &cobra.Command{
		Use:   "stop [SESSION]",
		Short: "Stop a running session; it can be resumed",
		Long: `Stop ends the running turn or check, which is not counted, and closes the session in
order, as Ctrl-C does. ` + "`mulligan resume`" + ` goes on with it. A session whose process is gone is closed
as it stands.

Where a hook has printed something for the agent that it has not had yet, one last turn gives it to
the agent, within limits.final_timeout; --now leaves that turn out. What only people said (tell,
answer) waits for ` + "`mulligan resume`" + `.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			patient := a.client().Patient(func(text string) { fmt.Fprintf(a.Stderr, "mulligan: %s\n", text) })
			s, err := patient.Find(ctx, firstArg(args), func(s mulligan.Summary) bool { return s.Ended == "" })
			if errors.Is(err, client.ErrNoneFits) {
				return usererror.Usage("no session of this repository runs", "`mulligan sessions` lists them, with how each ended")
			}
			if err != nil {
				return err
			}
			var last protocol.LastTurn
			if !now {
				last = a.client().LastTurn(ctx, s.ID)
			}
			err = patient.Stop(ctx, s.ID, now)
			if errors.Is(err, jetstream.ErrNotRunning) {
				if s.Ended != "" {
					return client.NotRunningError(s.ID)
				}
				return a.endKilled(ctx, s)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "session %s is stopping; `mulligan resume` goes on with it\n", s.ID)
			if last.Texts > 0 {
				fmt.Fprintf(a.Stdout, "a last turn gives the agent %s first, in at most %s; `mulligan stop --now %s` leaves it out\n",
					text.Count(last.Texts, "text"), view.Duration(last.Within), s.ID)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "end its processes at once, without closing the session in order")
	return cmd
}

// endKilled ends a session that no process runs.
func (a *App) endKilled(ctx context.Context, s mulligan.Summary) error {
	return runner.With(ctx, runner.Config{
		Env: a.Env, Root: s.Root, Report: reportPlainly,
		NewView: func() (runner.EventView, func()) { return a.newFollowingView(false) },
	}, func(ctx context.Context, r *runner.Runner) error {
		st, err := r.EndKilled(ctx, s)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "session %s does not run\n", s.ID)
		plain.Handover(a.Stdout, st.ID, st.Place, *st.Outcome)
		if s.Ended = st.Outcome.Ended; sessions.CanResume(s) {
			fmt.Fprintf(a.Stdout, "  %-9s  mulligan resume %s  goes on with it\n", "next", s.ID)
		}
		return nil
	})
}
