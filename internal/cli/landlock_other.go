//go:build !linux

package cli

// landlockABI returns 0: only Linux has Landlock.
func landlockABI() int { return 0 }
