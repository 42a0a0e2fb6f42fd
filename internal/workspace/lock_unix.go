//go:build unix

package workspace

import (
	"os"
	"syscall"
)

func takeLock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errLocked
		default:
			return err
		}
	}
}

func releaseLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
