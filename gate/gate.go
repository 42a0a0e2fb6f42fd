// Package gate is what the gates share.
package gate

import "mulligan/internal/process"

// Deps is what a gate is built with.
type Deps struct {
	Pool    *process.Pool
	Environ []string // the environment that mulligan was started with: a check is the user's own command
	Limit   int      // characters of output that a finding carries at most; 0: the default
}
