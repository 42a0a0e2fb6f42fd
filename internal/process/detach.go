//go:build unix

package process

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// Detach starts our own program again with the given arguments, in a session of its own, so that it
// outlives us. Its input is /dev/null and both outputs go to logFile. It inherits ready, unless nil, as
// descriptor 3: when the other end of that pipe reads EOF, the process has ended. A nil env and an
// empty dir mean ours.
func Detach(args, env []string, dir string, logFile, ready *os.File) (pid int, err error) {
	path, err := ownProgram()
	if err != nil {
		return 0, err
	}
	cmd := &exec.Cmd{
		Path:        path,
		Args:        slices.Concat([]string{os.Args[0]}, args),
		Env:         env,
		Dir:         dir,
		Stdout:      logFile,
		Stderr:      logFile,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if ready != nil {
		cmd.ExtraFiles = []*os.File{ready}
	}
	if err := cmd.Start(); err != nil {
		return 0, &StartError{Argv: cmd.Args, Err: err}
	}
	go cmd.Wait() // or it would stay a zombie if it ends before us
	return cmd.Process.Pid, nil
}
