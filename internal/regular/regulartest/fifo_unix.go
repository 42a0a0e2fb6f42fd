//go:build unix

// Package regulartest makes what is no regular file, for the tests of those who read files.
package regulartest

import "golang.org/x/sys/unix"

// MakeFifo makes a named pipe: a reader that opened it would wait for ever.
func MakeFifo(path string) error { return unix.Mkfifo(path, 0o600) }
