package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/journal/jetstream"
)

func newStop(a *App) *cobra.Command {
	var now bool
	cmd := &cobra.Command{
		Use:   "stop [SESSION]",
		Short: "Stop a running session; it can be resumed",
		Long: `Stop ends the running turn or check, which is not counted, and closes the session in
order, as Ctrl-C does. ` + "`mulligan resume`" + ` goes on with it.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := a.find(ctx, first(args), func(s mulligan.Summary) bool { return s.Ended == "" })
			if errors.Is(err, errNoneFits) {
				return usage("no session of this repository runs", "`mulligan sessions` lists them, with how each ended")
			}
			if err != nil {
				return err
			}
			err = a.stop(ctx, s.ID, now)
			if errors.Is(err, jetstream.ErrNotRunning) {
				return notRunning(s.ID)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "session %s is stopping; `mulligan resume` goes on with it\n", s.ID)
			return nil
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "end its processes at once, without closing the session in order")
	return cmd
}

// notRunning refuses what only a process can do.
func notRunning(id string) error {
	return usage(fmt.Sprintf("session %s does not run", id), "`mulligan resume` goes on with it, `mulligan status` says how it stands")
}
