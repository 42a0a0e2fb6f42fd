//go:build unix

package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Alive says whether a process with this id exists and has not ended: one that nobody has waited for
// yet is still there, where the system says so, and does nothing any more.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !defunct(pid)
}

func defunct(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false // there is no such folder here, or it has gone just now
	}
	// The program's name, in brackets, may have anything in it.
	state := bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:])
	return bytes.HasPrefix(state, []byte("Z")) || bytes.HasPrefix(state, []byte("X"))
}
