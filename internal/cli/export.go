package cli

import (
	"bufio"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"mulligan/internal/usererror"
)

func newExport(a *App) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "export [SESSION]",
		Short: "Write a session's events as plain JSON lines",
		Long: `Export writes all that the journal has of a session, one JSON object a line, texts that are kept
apart from their events included: to keep, to move, or for another program. docs/json.md
describes the shape.

` + sessionWords,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			store, s, err := a.client().OpenRecord(ctx, firstArg(args))
			if err != nil {
				return err
			}
			defer store.Close()
			out := a.Stdout
			if path != "" {
				f, err := os.OpenFile(a.Abs(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
				if errors.Is(err, fs.ErrExist) {
					return usererror.Usage(path+" is there already, and export overwrites nothing", "name a new file")
				}
				if err != nil {
					return usererror.Usage(err.Error(), "")
				}
				defer f.Close()
				out = f
			}
			w := bufio.NewWriter(out)
			if err := showEach(store.Read(ctx, s.ID, 1), jsonLines{w}.Event); err != nil {
				return err
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVarP(&path, "output", "o", "", "write to this new file instead of standard output")
	return cmd
}
