package process

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// reapsAll: whoever loses its parent below a keeper becomes the keeper's own child, so
// that nothing left to wait for means that nothing is left.
const reapsAll = true

func becomeReaper() error {
	// The name that ps and top show. Not worth failing for.
	_ = setComm(keeperComm)
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// listRemaining gives all living descendants of this process.
func listRemaining(child int) []int {
	all, err := listProcesses()
	if err != nil {
		return []int{-child} // no /proc here: its process group is the best that there is
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

// killSession kills what is left of a child whose keeper was lost.
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

// listProcesses returns the system's living processes. One that ends during the call may be missing.
func listProcesses() ([]Stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []Stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := ReadStat(pid); err == nil && !s.HasEnded() {
			all = append(all, s)
		}
	}
	return all, nil
}

// enlargePipe makes a pipe hold more, so that a child that prints much waits for us less often.
// A system that has no more to give leaves it as it is.
func enlargePipe(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) }

// ownProgram is the program that runs now, even where its file was replaced meanwhile.
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
