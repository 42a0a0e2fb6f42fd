//go:build !linux

package process

// EndLeftovers kills nothing: this system does not tell the environment of a process.
func EndLeftovers(string) (int, error) { return 0, nil }

// killEscaped kills nothing, as EndLeftovers.
func killEscaped([][]byte) {}
