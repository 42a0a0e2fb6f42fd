package doctor

import "syscall"

const (
	sysLandlockCreateRuleset = 444 // the same on every architecture
	landlockRulesetVersion   = 1
)

// landlockABI returns the version of Landlock that the kernel has, or 0 if it has none.
func landlockABI() int {
	abi, _, errno := syscall.Syscall(sysLandlockCreateRuleset, 0, 0, landlockRulesetVersion)
	if errno != 0 {
		return 0
	}
	return int(abi)
}
