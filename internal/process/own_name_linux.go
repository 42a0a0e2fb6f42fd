package process

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownNameFile is where a process sets its own name. Other processes can read it but not change it.
const ownNameFile = "/proc/self/comm"

// An ownName is the name of this process in the system's list.
type ownName struct{ file *os.File }

// openOwnName opens the name of this process, so that it can be set after HideMemory too. On a system
// without /proc, set has another way.
func openOwnName() ownName {
	f, err := os.OpenFile(ownNameFile, os.O_WRONLY, 0)
	if err != nil {
		return ownName{}
	}
	return ownName{f}
}

// set changes the name.
func (n ownName) set(name string) error {
	err := errors.ErrUnsupported
	if n.file != nil {
		_, err = n.file.WriteString(name)
	}
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

// HideMemory keeps the user's other processes from reading the environment and the memory of this one,
// from tracing it and from reading what it has open. Root still can. The processes that this one starts
// are as before.
func HideMemory() error { return setDumpable(0) }

// uintptrTo returns the address of a number as an argument of a system call.
func uintptrTo(n *int32) uintptr { return uintptr(unsafe.Pointer(n)) }

func setDumpable(value uintptr) error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_DUMPABLE, value, 0, 0, 0))
}
