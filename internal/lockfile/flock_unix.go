//go:build unix

package lockfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func tryExclusive(f *os.File) error { return flock(f, unix.LOCK_EX) }

func tryShared(f *os.File) error { return flock(f, unix.LOCK_SH) }

func release(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		switch err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}
