//go:build !linux

package main

// enterMemory does nothing: only on Linux can a process mount for itself alone.
func enterMemory() (reason string, err error) { return "only Linux has mounts of a process's own", nil }

// leaveMemory does nothing.
func leaveMemory(string) error { return nil }
