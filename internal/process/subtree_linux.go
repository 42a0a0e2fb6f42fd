package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// reapsAll tells that a process below a keeper that loses its parent becomes the keeper's own child: if
// no child is left to wait for, the whole subtree is gone.
const reapsAll = true

// becomeReaper makes this process the one that orphans below it go to, hides its memory from the processes
// that it is to keep, and returns its name, which it can still change.
func becomeReaper() (ownName, error) {
	name := openOwnName() // before HideMemory, after which the system lets only root open it
	// The name is for ps and top: a failure does not matter.
	_ = name.set(keeperComm)
	if err := HideMemory(); err != nil {
		return name, err
	}
	return name, os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// childAttr makes a child the leader of a session, and ends it when the keeper is killed.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// listRemaining returns all living descendants of this process, or the child's process group, as a
// negative id, if there is no /proc.
func listRemaining(child int) []int {
	all, err := listProcesses()
	if err != nil {
		return []int{-child}
	}
	children := make(map[int][]int, len(all))
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p.PID)
	}
	var found []int
	for next := children[os.Getpid()]; len(next) > 0; {
		pid := next[0]
		next = append(next[1:], children[pid]...)
		found = append(found, pid)
	}
	return found
}

// killSession kills the processes of the session that a child leads.
func killSession(child int) {
	all, err := listProcesses()
	if err != nil {
		syscall.Kill(-child, syscall.SIGKILL)
		return
	}
	for _, p := range all {
		if p.Session == child {
			syscall.Kill(p.PID, syscall.SIGKILL)
		}
	}
}

// enlargePipe raises the capacity of a pipe, so that a child that prints much waits for us less often.
// If the system refuses, the pipe stays as it is.
func enlargePipe(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) }

// ownProgram returns the path of the program that this process runs, even if its file was replaced.
func ownProgram() (string, error) {
	const self = "/proc/self/exe"
	path, err := os.Executable()
	running, gone := os.Stat(self)
	if gone != nil {
		return path, err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(there, running) {
		return path, nil
	}
	return self, nil
}
