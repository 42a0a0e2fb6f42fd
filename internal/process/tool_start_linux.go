package process

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startTool starts a tool with the terminal's signals blocked. Until the tool has left our process
// group, which takes a while on a busy machine, Ctrl-C on the terminal reaches it too; blocked, such a
// signal has no effect. (A tool written in Go would get it: Go's runtime unblocks signals.)
func startTool(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	was, err := setMask(unix.SIG_BLOCK, signalSet(unix.SIGINT, unix.SIGHUP, unix.SIGTSTP))
	if err != nil {
		return err
	}
	defer setMask(unix.SIG_SETMASK, was)
	return cmd.Start()
}

// setMask changes the signal mask of this thread and returns the old one.
func setMask(how int, set unix.Sigset_t) (was unix.Sigset_t, err error) {
	err = unix.PthreadSigmask(how, &set, &was)
	return was, err
}

func signalSet(signals ...unix.Signal) unix.Sigset_t {
	var set unix.Sigset_t
	for _, s := range signals {
		set.Val[0] |= 1 << (s - 1) // signals up to 32 are in the first word
	}
	return set
}
