//go:build unix

package jetstream

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// flock takes the lock of an open file, or says that another has it (errBusy).
func flock(f *os.File) error { return flockAs(f, unix.LOCK_EX) }

// flockShared takes it together with others who share it.
func flockShared(f *os.File) error { return flockAs(f, unix.LOCK_SH) }

func flockAs(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errBusy
		default:
			return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}

// dup gives another descriptor of an open file, and so of its lock.
func dup(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
