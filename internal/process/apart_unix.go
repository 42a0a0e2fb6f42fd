//go:build unix

package process

import (
	"os/exec"
	"syscall"
	"time"
)

// apart keeps a tool out of our process group: Ctrl-C on the terminal is for us to hear,
// not for a git that is in the middle of a commit.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// gently has a tool asked to end, and killed only where it does not heed that.
func gently(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		time.AfterFunc(DefaultGrace, func() { cmd.Process.Kill() }) // one that has ended is not there to be killed
		return cmd.Process.Signal(syscall.SIGTERM)
	}
}
