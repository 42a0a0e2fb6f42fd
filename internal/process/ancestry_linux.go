package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// maxAncestors bounds the ancestors of a process, and maxWalks how often they may change while
	// they are read. A process that exceeds either is hiding.
	maxAncestors = 4096
	maxWalks     = 100
	// ticksPerSecond is the unit of Stat.Start, the same on every architecture.
	ticksPerSecond = 100
)

// errChanging means that two reads of a process's ancestors never agreed.
var errChanging = errors.New("what is above it keeps changing")

// identifyByAncestry returns what the ancestors of this process make it.
func identifyByAncestry(folder folderID) Caller {
	caller, err := identifyProcess(os.Getpid(), folder)
	if errors.Is(err, errChanging) {
		return Caller{RoleAgent, err.Error()}
	}
	return caller // also if there is no /proc
}

// PeerRefused returns why the process at the other end of a connection may not do what only a person may
// in the state folder: it is an agent's, a check's or a hook's, or its ancestors cannot be told. why is ""
// if it may. role is what the process is taken for.
func PeerRefused(c *net.UnixConn, state string) (why string, role Role) {
	arrived := ticksSinceBoot()
	pid, alive, err := identifyConn(c)
	if err != nil {
		return err.Error(), RoleNone
	}
	why, role = checkPeer(pid, arrived, identifyFolder(state))
	if lives := alive(); why == "" && !lives {
		why = describeGonePeer(pid)
	}
	return why, role
}

// ServerRefused returns why the process that listens at the other end of a connection is not the one that holds the lock
// of a state folder, or "" if it may be: it is the same user's, no agent, check or hook has started it, and
// the system knows of no other process that has the lock.
func ServerRefused(c *net.UnixConn, state, lock string) string {
	pid, alive, err := identifyConn(c)
	if err != nil {
		return err.Error()
	}
	why, _ := checkPeer(pid, ticksSinceBoot(), identifyFolder(state))
	lives, holder := alive(), FindFlockHolder(lock)
	switch {
	case why != "":
		return why
	case !lives:
		return describeGonePeer(pid)
	case holder != 0 && holder != pid:
		return fmt.Sprintf("process %d listens there, and process %d holds the lock", pid, holder)
	}
	return ""
}

// identifyConn returns the id of the process at the other end of a connection. alive, which must be called
// once, reports whether that process still lives: if it does, the id was its own all the time. On a kernel
// without descriptors of peers it always returns true.
func identifyConn(c *net.UnixConn) (pid int, alive func() bool, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, nil, err
	}
	var (
		peer     *unix.Ucred
		pidfd    = -1
		pidfdErr error
	)
	if broke := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		pidfd, pidfdErr = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	}); broke != nil || err != nil {
		return 0, nil, fmt.Errorf("the system does not say who calls: %w", errors.Join(broke, err))
	}
	if pidfdErr != nil {
		return int(peer.Pid), func() bool { return true }, nil
	}
	return int(peer.Pid), func() bool {
		defer unix.Close(pidfd)
		return unix.PidfdSendSignal(pidfd, 0, nil, 0) == nil
	}, nil
}

// checkPeer returns why a process that connected at the time arrived, in ticks, is refused. See
// PeerRefused.
func checkPeer(pid int, arrived uint64, folder folderID) (why string, role Role) {
	if pid == 0 {
		return "the caller is outside of what this process can see", RoleNone
	}
	peer, err := ReadStat(pid)
	if err != nil {
		if _, err := ReadStat(os.Getpid()); err != nil {
			return "", RoleNone // there is no /proc
		}
		return describeGonePeer(pid), RoleNone
	}
	if peer.Start > arrived {
		return describeGonePeer(pid), RoleNone
	}
	caller, err := identifyProcess(pid, folder)
	if err != nil {
		return fmt.Sprintf("process %d cannot be told from an agent's: %v", pid, err), RoleAgent
	}
	if caller.Role == RoleNone {
		caller = identifyByEnv(readEnviron(pid), folder)
	}
	if caller.Role == RoleNone {
		return "", RoleNone
	}
	return fmt.Sprintf("process %d: %s", pid, caller.Why), caller.Role
}

func describeGonePeer(pid int) string { return fmt.Sprintf("process %d, which called, is gone", pid) }

// identifyProcess returns what the ancestors of a process make it.
func identifyProcess(pid int, folder folderID) (caller Caller, err error) {
	for range maxWalks {
		caller, err = walkAncestors(pid, folder)
		if !errors.Is(err, errChanging) {
			return caller, err
		}
	}
	return Caller{}, err
}

// walkAncestors follows the parents of a process up to the first process, or to an agent's keeper. It reads each
// parent before it reads the child again: if the child still has that parent, the parent's id was not yet
// reused.
func walkAncestors(pid int, folder folderID) (caller Caller, err error) {
	here, err := ReadStat(pid)
	if err != nil {
		return Caller{}, err
	}
	for range maxAncestors {
		switch role := roleOfComm(here.Comm); {
		case role == RoleAgent:
			return Caller{RoleAgent, fmt.Sprintf("process %d, which started it, keeps an agent", pid)}, nil
		case role != RoleNone && caller.Role == RoleNone && folder.matches(readKeptFolder(pid)):
			caller = Caller{role, fmt.Sprintf("process %d, which started it, keeps %s", pid, role)}
		}
		if here.Parent == 0 {
			return caller, nil
		}
		above, hidden := ReadStat(here.Parent)
		if again, err := ReadStat(pid); err != nil || !sameProcess(again, here) {
			return Caller{}, errChanging
		}
		if hidden != nil {
			return caller, nil // another user's, on a system that shows each user only their own
		}
		if above.Comm == sessionComm && roleOfComm(here.Comm) == RoleNone {
			return Caller{RoleAgent, fmt.Sprintf("process %d, which runs a session, took it over from a keeper that was ended", here.Parent)}, nil
		}
		pid, here = here.Parent, above
	}
	return Caller{}, fmt.Errorf("more than %d processes are above it", maxAncestors)
}

// readKeptFolder returns the state folder of the session that a keeper belongs to, from its arguments. It
// returns the zero value, which stands for every folder, if the keeper names none.
func readKeptFolder(keeper int) folderID {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(keeper) + "/cmdline")
	words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if err != nil || len(words) < 4 {
		return folderID{}
	}
	return folderID{key: words[len(words)-2], path: words[len(words)-1]}
}

// sameProcess reports whether two reads were of one process, with the same name and parent. Its state
// may have changed between them.
func sameProcess(a, b Stat) bool {
	return a.Comm == b.Comm && a.Parent == b.Parent && a.Start == b.Start
}

// ticksSinceBoot returns the current time in the unit of Stat.Start.
func ticksSinceBoot() uint64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return ^uint64(0)
	}
	return uint64(now.Nano()) / (1e9 / ticksPerSecond)
}

// readEnviron returns the environment that a process was started with, or nil if we may not read it.
func readEnviron(pid int) []string {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	return strings.Split(string(environ), "\x00")
}

// folderKey returns what the system knows a folder by, or "" if it is not there.
func folderKey(dir string) string {
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
