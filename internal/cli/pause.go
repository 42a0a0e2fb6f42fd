package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newPause(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "pause [SESSION]",
		Short: "Pause a session when the running turn and its checks are through",
		Long: `Pause lets the running turn and its checks end, and then the session's process, with exit
code 5. Nothing is lost: what is pending stays pending, and no session_end hook runs.
` + "`mulligan resume`" + ` goes on.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.client().Pause(cmd.Context(), firstArg(args)); err != nil {
				return err
			}
			fmt.Fprintln(a.Stdout, "the session pauses when the running turn and its checks are through; `mulligan resume` goes on with it")
			return nil
		},
	}
}
