//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// reapsAll tells that orphans below a keeper go to the system's first process, so that only the process
// group tells what is left of a child. Processes that leave the group may survive.
const reapsAll = false

// becomeReaper does nothing.
func becomeReaper() (ownName, error) { return ownName{}, nil }

// childAttr makes a child the leader of a session.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// listRemaining returns the child's process group, as a negative id, or nil if it is empty.
func listRemaining(child int) []int {
	if syscall.Kill(-child, 0) != nil {
		return nil
	}
	return []int{-child}
}

// killSession kills the child's process group.
func killSession(child int) { syscall.Kill(-child, syscall.SIGKILL) }

// enlargePipe does nothing.
func enlargePipe(uintptr) {}

// ownProgram returns the path of the program that this process runs.
func ownProgram() (string, error) { return os.Executable() }
