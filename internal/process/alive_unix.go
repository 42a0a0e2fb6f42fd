//go:build unix

package process

import (
	"errors"
	"syscall"
)

// Alive says whether a process with this id exists.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
