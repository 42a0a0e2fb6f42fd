package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
			_, err := fmt.Fprintf(a.Stdout, "mulligan %s%s (%s %s/%s)\n", Version, readRevision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// readRevision returns the commit that the program was built from, or "" if the build does not know it.
func readRevision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return fmt.Sprintf(" %.10s", s.Value)
		}
	}
	return ""
}
