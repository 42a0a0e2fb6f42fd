package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"mulligan/internal/environ"
)

// Version is the version that this program reports.
const Version = environ.Version

func newVersion(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.Stdout, "mulligan %s%s (%s %s/%s)\n", Version, environ.Revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
