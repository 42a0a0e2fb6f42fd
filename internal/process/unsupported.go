//go:build !unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// ErrUnsupported is a system on which children cannot be kept.
var ErrUnsupported = fmt.Errorf("mulligan cannot run programs on this system; use it inside WSL: %w", errors.ErrUnsupported)

// A Pool runs nothing here.
type Pool struct{}

// NewPool starts nothing.
func NewPool(PoolOptions) *Pool { return &Pool{} }

// Warm does nothing here.
func (p *Pool) Warm() {}

// Close does nothing here.
func (p *Pool) Close() {}

// KillAll does nothing here.
func (p *Pool) KillAll() {}

// Run says that nothing can be run here.
func (p *Pool) Run(_ context.Context, s Spec) (Exit, error) {
	return Exit{Code: -1}, &StartError{Argv: s.Argv, Err: ErrUnsupported}
}

// KeeperMain says that nothing can be kept here.
func KeeperMain() {
	fmt.Fprintln(os.Stderr, ErrUnsupported)
	os.Exit(1)
}

// Detach says that nothing can be started here.
func Detach(args, _ []string, _ string, _, _ *os.File) (int, error) {
	return 0, &StartError{Argv: args, Err: ErrUnsupported}
}

// Find finds nothing here.
func Find(string, string, []string) (string, error) { return "", ErrUnsupported }
