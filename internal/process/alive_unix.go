//go:build unix

package process

import (
	"errors"
	"syscall"
)

// Alive reports whether a process with this id exists and has not ended. A process that has ended and
// that its parent has not waited for yet counts as ended where the system tells.
func Alive(pid int) bool {
	if pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := ReadStat(pid)
	return err != nil || !stat.HasEnded()
}
