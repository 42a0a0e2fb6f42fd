//go:build unix

package workspace

import (
	"os"
	"syscall"
)

func takeLock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// shareLock takes it together with others who share it.
func shareLock(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errLocked
		default:
			return err
		}
	}
}

func releaseLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
