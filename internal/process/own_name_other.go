//go:build !linux

package process

// An ownName is the name of this process in the system's list, which cannot be set on this system.
type ownName struct{}

func (ownName) set(string) error { return nil }

// HideMemory does nothing on this system.
func HideMemory() error { return nil }
