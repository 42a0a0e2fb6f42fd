//go:build unix

package process

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// Detach starts our own program again with the given arguments, as a process of its own
// session that outlives us: input from /dev/null, both outputs to logFile. It has ready
// (which may be nil) as descriptor 3; a close of its other end tells that the process is
// gone. nil env is ours, "" dir too.
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
	go cmd.Wait() // so that it is no zombie where it ends before us
	return cmd.Process.Pid, nil
}
