//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// apart keeps a tool out of our process group: Ctrl-C on the terminal is for us to hear,
// not for a git that is in the middle of a commit.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
