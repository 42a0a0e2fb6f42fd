//go:build unix

package process

import (
	"os/exec"
	"syscall"
	"time"
)

// setProcessGroup keeps a tool out of our process group: Ctrl-C on the terminal is for us to hear,
// not for a git that is in the middle of a commit.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminateOnCancel has a tool asked to end, and killed only where it does not heed that.
func terminateOnCancel(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		time.AfterFunc(DefaultGrace, func() { cmd.Process.Kill() }) // one that has ended is not there to be killed
		return cmd.Process.Signal(syscall.SIGTERM)
	}
}
