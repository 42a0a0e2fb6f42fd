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
	// maxAncestors is how many processes may stand above one another, and maxWalks how often the
	// way up may change while it is walked. Whoever has more of either is hiding.
	maxAncestors = 4096
	maxWalks     = 100
	// ticksPerSecond are how the system counts the start of a process: 100 in a second, everywhere.
	ticksPerSecond = 100
)

// errChanging is a way up that is never twice the same.
var errChanging = errors.New("what is above it keeps changing")

// setComm gives this process a name. Another process can read it and not change it.
func setComm(name string) error {
	err := os.WriteFile("/proc/self/comm", []byte(name), 0)
	if err == nil || unix.Gettid() != os.Getpid() {
		return err
	}
	// The process has its first thread's name, and this is the first.
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(text)), 0, 0, 0))
}

// explainAncestry says how it is known that an agent is above this process; "" where none is.
func explainAncestry() string {
	keeper, err := findAgentKeeper(os.Getpid())
	switch {
	case errors.Is(err, errChanging):
		return err.Error()
	case keeper != 0:
		return fmt.Sprintf("process %d, which started it, keeps an agent", keeper)
	}
	return "" // also where there is no /proc to look at
}

// PeerRefused says why the process at the other end of a connection may not have what is a
// person's: it is an agent's, or whose it is cannot be told. "" where it may.
func PeerRefused(c *net.UnixConn) (why string, agents bool) {
	arrived := ticksSinceBoot()
	raw, err := c.SyscallConn()
	if err != nil {
		return err.Error(), false
	}
	var (
		who  *unix.Ucred
		held = -1
		kept error
	)
	if broke := raw.Control(func(fd uintptr) {
		who, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		held, kept = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	}); broke != nil || err != nil {
		return fmt.Sprintf("the system does not say who calls: %v", errors.Join(broke, err)), false
	}
	if kept == nil {
		defer unix.Close(held)
	}
	if why, agents := checkPeer(int(who.Pid), arrived); why != "" {
		return why, agents
	}
	// Its number may have become another's meanwhile; one that is there still has had it
	// all the time. Where the system gives no hold on it, the time of its start told that.
	if kept == nil && unix.PidfdSendSignal(held, 0, nil, 0) != nil {
		return describeGonePeer(int(who.Pid)), false
	}
	return "", false
}

func checkPeer(pid int, arrived uint64) (why string, agents bool) {
	if pid == 0 {
		return "the caller is outside of what this process can see", false
	}
	peer, err := ReadStat(pid)
	if err != nil {
		if _, err := ReadStat(os.Getpid()); err != nil {
			return "", false // there is no /proc to look at
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

// findAgentKeeper gives the keeper of the agent that a process descends from; 0 where none is seen.
func findAgentKeeper(pid int) (keeper int, err error) {
	for range maxWalks {
		keeper, err = walkAncestors(pid)
		if !errors.Is(err, errChanging) {
			return keeper, err
		}
	}
	return 0, err
}

// walkAncestors goes from parent to parent. Each is looked at before its child is looked at again:
// a child that still has that parent shows that the number was not another's by then.
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
			return 0, nil // another user's, where the system shows only one's own
		}
		pid, here = here.Parent, above
	}
	return 0, fmt.Errorf("more than %d processes are above it", maxAncestors)
}

// sameProcess reports whether two looks saw one process, under one name and one parent. Its state may
// have changed between them.
func sameProcess(a, b Stat) bool {
	return a.Comm == b.Comm && a.Parent == b.Parent && a.Start == b.Start
}

// ticksSinceBoot is now, as starts of processes are counted.
func ticksSinceBoot() uint64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return ^uint64(0)
	}
	return uint64(now.Nano()) / (1e9 / ticksPerSecond)
}

// hasVariable says whether a process was started with a variable; what it does not let us
// read it does not have.
func hasVariable(pid int, name string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+name+"="))
}
