package environ

import (
	"fmt"
	"runtime/debug"
)

// Version is the version that the program reports, and stores in the journal.
const Version = "0.1.0"

// Revision returns the commit that the program was built from, after a blank, or "" if the build does
// not know it.
func Revision() string {
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
