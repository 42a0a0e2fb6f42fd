package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/workspace"
)

func newPath(a *App) *cobra.Command {
	var proof bool
	cmd := &cobra.Command{
		Use:   "path [SESSION]",
		Short: "Print where a session's agent works, or where its checks run",
		Long: `Path prints the folder of a session's workspace: the clone in which its agent works. With --proof it is
the second clone, in which the checks run. You can open the workspace in your editor; what you change there
is part of the agent's work. Another session may have been given both since; then path says so.

` + sessionWords,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.printPath(cmd.Context(), firstArg(args), proof)
		},
	}
	cmd.Flags().BoolVar(&proof, "proof", false, "the clone in which the checks run")
	return cmd
}

// printPath prints where the clones of a session are.
func (a *App) printPath(ctx context.Context, given string, proof bool) error {
	s, err := a.client().Find(ctx, given, nil)
	if err != nil {
		return err
	}
	dir, slot := s.Dir, filepath.Dir(s.Dir)
	if proof {
		dir = workspace.ProofIn(slot)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return usererror.Usage(fmt.Sprintf("the clones of session %s are gone", s.ID), takeInstead(s))
	}
	if now := workspace.SlotSession(slot); now != "" && now != s.ID {
		return usererror.Usage(fmt.Sprintf("the clones of session %s are those of session %s now", s.ID, now), takeInstead(s))
	}
	fmt.Fprintln(a.Stdout, dir)
	return nil
}

// takeInstead is what a person can do about a session whose clones are not there.
func takeInstead(s mulligan.Summary) string {
	return fmt.Sprintf("`mulligan resume %s` makes them again for a session that is not finished; `mulligan take %[1]s` makes a branch of what it left", s.ID)
}
