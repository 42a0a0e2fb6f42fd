//go:build unix

package process

import (
	"os/exec"
	"syscall"
	"time"
)

// setProcessGroup keeps a tool out of our process group: Ctrl-C on the terminal is for mulligan to
// handle, and must not end a git that is in the middle of a commit.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminateOnCancel makes the end of the command's context send SIGTERM to the tool, and SIGKILL only
// if it still runs after DefaultGrace.
func terminateOnCancel(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		time.AfterFunc(DefaultGrace, func() { cmd.Process.Kill() }) // does nothing to a tool that has ended
		return cmd.Process.Signal(syscall.SIGTERM)
	}
}
