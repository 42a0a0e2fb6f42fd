//go:build !linux

package process

// FindInFolder returns nil: this system does not tell in which folder a process works.
func FindInFolder(name, dir string) []int { return nil }
