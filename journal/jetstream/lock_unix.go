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
func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
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

func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
