//go:build !unix

// Package regulartest makes what is no regular file, for the tests of those who read files.
package regulartest

import "errors"

// MakeFifo returns an error: there are no named pipes here.
func MakeFifo(string) error { return errors.New("there are no named pipes") }
