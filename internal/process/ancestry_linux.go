package process

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"unsafe"

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

// setComm sets the name of this process. Other processes can read it but not change it.
func setComm(name string) error {
	err := os.WriteFile("/proc/self/comm", []byte(name), 0)
	if err == nil || unix.Gettid() != os.Getpid() {
		return err
	}
	// The name of a process is that of its first thread, which this is.
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(text)), 0, 0, 0))
}

// explainAncestry returns how it is known that an agent is among this process's ancestors, or "" if none is.
func explainAncestry() string {
	keeper, err := findAgentKeeper(os.Getpid())
	switch {
	case errors.Is(err, errChanging):
		return err.Error()
	case keeper != 0:
		return fmt.Sprintf("process %d, which started it, keeps an agent", keeper)
	}
	return "" // also if there is no /proc
}

// PeerRefused returns why the process at the other end of a connection may not do what only a person
// may: it is an agent's, or its ancestors cannot be told. why is "" if it may, and agents reports
// whether the process is taken for an agent's.
func PeerRefused(c *net.UnixConn) (why string, agents bool) {
	arrived := ticksSinceBoot()
	raw, err := c.SyscallConn()
	if err != nil {
		return err.Error(), false
	}
	var (
		peer     *unix.Ucred
		pidfd    = -1
		pidfdErr error // set on a kernel without descriptors of peers
	)
	if broke := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		pidfd, pidfdErr = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	}); broke != nil || err != nil {
		return fmt.Sprintf("the system does not say who calls: %v", errors.Join(broke, err)), false
	}
	if pidfdErr == nil {
		defer unix.Close(pidfd)
	}
	if why, agents := checkPeer(int(peer.Pid), arrived); why != "" {
		return why, agents
	}
	// The id may have become another process's meanwhile. A peer that still lives has had it all the
	// time. Without a descriptor, checkPeer's comparison of the start time has to do.
	if pidfdErr == nil && unix.PidfdSendSignal(pidfd, 0, nil, 0) != nil {
		return describeGonePeer(int(peer.Pid)), false
	}
	return "", false
}

// checkPeer returns why a process that connected at the time arrived, in ticks, is refused. See
// PeerRefused.
func checkPeer(pid int, arrived uint64) (why string, agents bool) {
	if pid == 0 {
		return "the caller is outside of what this process can see", false
	}
	peer, err := ReadStat(pid)
	if err != nil {
		if _, err := ReadStat(os.Getpid()); err != nil {
			return "", false // there is no /proc
		}
		return describeGonePeer(pid), false
	}
	if peer.Start > arrived {
		return describeGonePeer(pid), false
	}
	keeper, err := findAgentKeeper(pid)
	switch {
	case err != nil:
		return fmt.Sprintf("process %d cannot be told from an agent's: %v", pid, err), true
	case keeper != 0:
		return fmt.Sprintf("process %d was started by an agent, which process %d keeps", pid, keeper), true
	case hasVariable(pid, DoorEnv):
		return fmt.Sprintf("process %d has %s, as what an agent started", pid, DoorEnv), true
	}
	return "", false
}

func describeGonePeer(pid int) string { return fmt.Sprintf("process %d, which called, is gone", pid) }

// findAgentKeeper returns the keeper of the agent that a process descends from, or 0 if there is none.
func findAgentKeeper(pid int) (keeper int, err error) {
	for range maxWalks {
		keeper, err = walkAncestors(pid)
		if !errors.Is(err, errChanging) {
			return keeper, err
		}
	}
	return 0, err
}

// walkAncestors follows the parents of a process up to an agent's keeper. It reads each parent before
// it reads the child again: if the child still has that parent, the parent's id was not yet reused.
func walkAncestors(pid int) (keeper int, err error) {
	here, err := ReadStat(pid)
	if err != nil {
		return 0, err
	}
	for range maxAncestors {
		if here.Comm == agentComm {
			return pid, nil
		}
		if here.Parent == 0 {
			return 0, nil
		}
		above, hidden := ReadStat(here.Parent)
		if again, err := ReadStat(pid); err != nil || !sameProcess(again, here) {
			return 0, errChanging
		}
		if hidden != nil {
			return 0, nil // another user's, on a system that shows each user only their own
		}
		pid, here = here.Parent, above
	}
	return 0, fmt.Errorf("more than %d processes are above it", maxAncestors)
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

// hasVariable reports whether a process was started with a variable. It returns false if we may not
// read the process's environment.
func hasVariable(pid int, name string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+name+"="))
}
