// Package gate holds what the gates share.
package gate

import (
	"io"
	"time"

	"mulligan"
	"mulligan/internal/process"
)

// Deps is what a gate is built with.
type Deps struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with: a check is the user's own command
	Limit   int      // characters of output that a finding carries at most; 0: the default
	// FileLimit is how large the file of a check's output may become; 0: the default.
	FileLimit int64
	// Filter takes secrets out of what a check prints; nil means that nothing is filtered. Close
	// writes what the filter holds back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
}

// Timed returns the verdict of an examination, with the gate's name and how long it took.
func Timed(name string, examine func() mulligan.Verdict) mulligan.Verdict {
	start := time.Now()
	v := examine()
	v.Gate, v.Duration = name, time.Since(start)
	return v
}
