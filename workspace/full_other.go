//go:build !linux && !darwin

package workspace

func isFull(string) bool { return false }
