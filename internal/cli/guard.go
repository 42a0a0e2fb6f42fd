package cli

import "github.com/spf13/cobra"

func newGuard(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "Examine an agent's claims that a task is done",
		Long: `The guard examines every claim of an agent that a task is done: it asks for what was done, has
the claim validated, and leaves it to a person when that does not help. It is off by default.

  mulligan guard install   add its hooks to the settings of Claude Code, or of another program
  mulligan guard on        switch it on in this repository
  mulligan guard status    see how the tasks stand, and which of them wait for you`,
	}
	cmd.AddCommand(newGuardInstall(a), newGuardUninstall(a), newGuardStatus(a), newGuardOn(a), newGuardOff(a), newGuardRelease(a), newGuardApprove(a))
	return cmd
}
