//go:build !linux

package doctor

// landlockABI returns 0: only Linux has Landlock.
func landlockABI() int { return 0 }
