//go:build !linux

package process

// EndLeftovers finds nothing here: the system does not tell what environment a process has.
func EndLeftovers(string) (int, error) { return 0, nil }

func killEscaped([][]byte) {}
