package process

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The namespaces that the system starts with have fixed names.
const (
	firstPIDNamespace  = "pid:[4026531836]"
	firstUserNamespace = "user:[4026531837]"
)

// A Namespace is where a process lives: a start of the system, and in it a namespace of process ids and one
// of users.
type Namespace struct{ Boot, PID, User string }

// OwnNamespace returns the namespace of this process. ok is false if the system does not tell.
func OwnNamespace() (ns Namespace, ok bool) {
	boot, bootErr := os.ReadFile("/proc/sys/kernel/random/boot_id")
	pid, pidErr := os.Readlink("/proc/self/ns/pid")
	user, userErr := os.Readlink("/proc/self/ns/user")
	return Namespace{strings.TrimSpace(string(boot)), pid, user}, bootErr == nil && pidErr == nil && userErr == nil
}

// IsInside reports whether n may lie inside the namespace that a folder was used in before, which an agent
// can make for itself: then what is above a process cannot be seen. A container that was started anew
// has another namespace than the one before, and is not inside of that: it leads a session of its own, and
// has not gained users' rights by a namespace of users.
func (n Namespace) IsInside(before Namespace) bool {
	if n.Boot != before.Boot || n.PID == before.PID {
		return false
	}
	if before.PID == firstPIDNamespace || before.User == firstUserNamespace && n.User != firstUserNamespace {
		return true
	}
	session, err := unix.Getsid(0)
	return err == nil && session == 0 // its session's leader is outside
}

// FindFlockHolder returns the process that holds the exclusive lock of a file. It returns 0 if no process
// holds one, or if the system does not tell.
func FindFlockHolder(path string) int {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0
	}
	list, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		// 1: FLOCK  ADVISORY  WRITE 12882 fe:00:12652006 0 EOF
		f := strings.Fields(lines.Text())
		if len(f) < 6 || f[1] != "FLOCK" || f[3] != "WRITE" {
			continue
		}
		// The device is the file system's own, which need not be the one that stat tells.
		if _, inode, _ := strings.Cut(f[5][strings.Index(f[5], ":")+1:], ":"); inode == strconv.FormatUint(st.Ino, 10) {
			pid, _ := strconv.Atoi(f[4])
			return pid
		}
	}
	return 0
}
