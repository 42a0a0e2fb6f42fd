//go:build !linux

package cli

// landlockABI is 0: only Linux has Landlock.
func landlockABI() int { return 0 }
