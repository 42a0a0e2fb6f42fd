//go:build !unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// ErrUnsupported means that keepers do not work on this system.
var ErrUnsupported = fmt.Errorf("mulligan cannot run programs on this system; use it inside WSL: %w", errors.ErrUnsupported)

// A Pool runs nothing on this system.
type Pool struct{}

// NewPool returns a pool that runs nothing.
func NewPool(PoolOptions) *Pool { return &Pool{} }

// KillAll does nothing.
func (p *Pool) KillAll() {}

// Run returns an ErrUnsupported.
func (p *Pool) Run(_ context.Context, s Spec) (Exit, error) {
	return Exit{Code: -1}, &StartError{Argv: s.Argv, Err: ErrUnsupported}
}

// LeadSession does nothing.
func LeadSession() error { return nil }

// KeeperMain prints ErrUnsupported and exits.
func KeeperMain() {
	fmt.Fprintln(os.Stderr, ErrUnsupported)
	os.Exit(1)
}

// Detach returns an ErrUnsupported.
func Detach(args, _ []string, _ string, _, _ *os.File) (int, error) {
	return 0, &StartError{Argv: args, Err: ErrUnsupported}
}

// Find returns ErrUnsupported.
func Find(string, string, []string) (string, error) { return "", ErrUnsupported }

// MayWrite returns false.
func MayWrite(string) bool { return false }
