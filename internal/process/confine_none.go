//go:build !linux

package process

// LandlockABI returns 0: only Linux has Landlock.
func LandlockABI() int { return 0 }
