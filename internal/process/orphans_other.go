//go:build unix && !linux

package process

// LeadSession does nothing: on this system orphans go to the first process.
func LeadSession() error { return nil }

// endOrphans finds none.
func endOrphans(*Pool) (found, stuck int) { return 0, 0 }
