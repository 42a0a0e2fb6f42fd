package process

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startTool starts a tool that is to be apart from us. Until it has left our process group what is
// typed on the terminal reaches it too, and on a busy machine that takes a while: so it begins with
// those signals blocked, and one that came then stays unheard. (A program in Go would hear it: its
// runtime unblocks them.)
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

func setMask(how int, set unix.Sigset_t) (was unix.Sigset_t, err error) {
	err = unix.PthreadSigmask(how, &set, &was)
	return was, err
}

func signalSet(signals ...unix.Signal) unix.Sigset_t {
	var set unix.Sigset_t
	for _, s := range signals {
		set.Val[0] |= 1 << (s - 1) // all of ours are in its first word
	}
	return set
}
