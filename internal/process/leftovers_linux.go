package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// sessionMark is the variable that every child of a session has, and so its descendants.
	sessionMark = "MULLIGAN_SESSION"
	// leftoverWait is how long killed processes may take to be gone.
	leftoverWait = 10 * time.Second
)

// EndLeftovers kills the processes that are left of a session whose own process and keepers were all
// killed at once, and returns how many there were. It knows them by the session's id in the environment
// that they were started with, and does not find a process that has dropped it. It never touches this
// process, its ancestors and other users' processes.
func EndLeftovers(session string) (int, error) {
	if session == "" {
		return 0, nil
	}
	return killMarkedTree([]string{sessionMark + "=" + session})
}

// killMarkedTree kills the processes that have all of the marks in their environment, and repeats that
// for those that they forked meanwhile. It returns how many it has killed.
func killMarkedTree(marks []string) (int, error) {
	ended := map[int]bool{}
	pause := time.Millisecond
	for deadline := time.Now().Add(leftoverWait); ; time.Sleep(pause) {
		found, err := findMarked(marks)
		if err != nil || len(found) == 0 {
			return len(ended), err
		}
		if time.Now().After(deadline) {
			return len(ended), fmt.Errorf("processes of an earlier run of the session cannot be ended: process %d and %d more", found[0], len(found)-1)
		}
		for _, pid := range found {
			ended[pid] = true
			killMarked(pid, marks)
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// findMarked returns the processes that have all of the marks, without this process and its ancestors.
func findMarked(marks []string) ([]int, error) {
	all, err := listProcesses()
	if err != nil {
		return nil, err
	}
	parents := make(map[int]int, len(all))
	for _, p := range all {
		parents[p.PID] = p.Parent
	}
	above := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !above[pid]; pid = parents[pid] {
		above[pid] = true
	}
	var found []int
	for _, p := range all {
		if !above[p.PID] && hasMarks(p.PID, marks) {
			found = append(found, p.PID)
		}
	}
	return found, nil
}

// hasMarks reports whether a process of this user was started with all of the NAME=value pairs.
func hasMarks(pid int, marks []string) bool {
	path := "/proc/" + strconv.Itoa(pid)
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil || int(st.Uid) != os.Geteuid() {
		return false
	}
	environ, err := os.ReadFile(path + "/environ")
	if err != nil {
		return false
	}
	have := strings.Split(string(bytes.TrimRight(environ, "\x00")), "\x00")
	return !slices.ContainsFunc(marks, func(mark string) bool { return !slices.Contains(have, mark) })
}

// killMarked kills a process that still has the marks. Its id may have become another process's since
// findMarked read them. So it opens a descriptor of the process that has the id now and reads the marks
// again: if those are of yet another process, the one behind the descriptor is dead.
func killMarked(pid int, marks []string) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) {
		syscall.Kill(pid, syscall.SIGKILL)
		return
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if hasMarks(pid, marks) {
		unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

// killEscaped kills the descendants of a child that have left the child's session, if they have kept
// the marks that the child was started with. env is the child's environment.
func killEscaped(env [][]byte) {
	var marks []string
	ours := false
	for _, kv := range env {
		if bytes.HasPrefix(kv, []byte("MULLIGAN_")) {
			marks = append(marks, string(kv))
			ours = ours || bytes.HasPrefix(kv, []byte(sessionMark+"="))
		}
	}
	if ours {
		_, _ = killMarkedTree(marks) // the caller reports the keeper's loss, which is the cause
	}
}
