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

// leftoverWait is how long killed processes may take to be gone.
const leftoverWait = 10 * time.Second

// EndLeftovers kills what is left of a session whose process and keepers were all killed at
// once, and says how many they were. It is known by the session's id in the environment that
// it was started with; a process that has thrown that away is not found. This process, those
// above it and other users' are never touched.
func EndLeftovers(session string) (int, error) {
	if session == "" {
		return 0, nil
	}
	return killMarkedTree([]string{sessionMark + "=" + session})
}

// killMarkedTree kills the processes that have all of the marks in their environment, and comes
// again for what they forked meanwhile.
func killMarkedTree(marks []string) (int, error) {
	ended := map[int]bool{}
	pause := time.Millisecond
	for deadline := time.Now().Add(leftoverWait); ; time.Sleep(pause) {
		found, err := findMarked(marks)
		if err != nil || len(found) == 0 {
			return len(ended), err
		}
		if time.Now().After(deadline) {
			return len(ended), fmt.Errorf("%w: process %d and %d more", ErrLeftovers, found[0], len(found)-1)
		}
		for _, pid := range found {
			ended[pid] = true
			killMarked(pid, marks)
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// findMarked gives the processes that have all of the marks, but for this one and those above it.
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

// killMarked kills a process that still has the marks. The id may have become another
// process's since they were looked at: the descriptor is of the one that has it now, and is
// dead by then if the marks are read from yet another.
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

// killEscaped kills what a child has left elsewhere than in its own session, as far as it has
// kept the marks that it was started with.
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
		_, _ = killMarkedTree(marks) // the keeper's loss is told already
	}
}
