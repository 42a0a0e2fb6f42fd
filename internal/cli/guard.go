package cli

import "github.com/spf13/cobra"

func newGuard(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "Examine an agent's claims that a task is done",
		Long: `The guard examines every claim of an agent that a task is done: it asks for what was done, has
the claim judged, and leaves it to a person when that does not help. It is off by default.`,
	}
	cmd.AddCommand(newGuardInstall(a), newGuardUninstall(a), newGuardStatus(a), newGuardOn(a), newGuardOff(a), newGuardRelease(a), newGuardApprove(a))
	return cmd
}
