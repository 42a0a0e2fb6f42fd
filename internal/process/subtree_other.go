//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// reapsAll: what loses its parent goes to the system, so that only the process group
// tells what is left of a child. What left the group is not promised to end.
const reapsAll = false

func becomeReaper() error { return nil }

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func listRemaining(child int) []int {
	if syscall.Kill(-child, 0) != nil {
		return nil
	}
	return []int{-child}
}

func killSession(child int) { syscall.Kill(-child, syscall.SIGKILL) }

func enlargePipe(uintptr) {}

func ownProgram() (string, error) { return os.Executable() }
