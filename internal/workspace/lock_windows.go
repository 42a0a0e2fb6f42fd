package workspace

import (
	"os"

	"golang.org/x/sys/windows"
)

// The lock is on one byte far behind the note, so that others can read that.
const lockOffset = 1 << 30

func takeLock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// shareLock takes it together with others who share it.
func shareLock(f *os.File) error { return lockFile(f, 0) }

func lockFile(f *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{Offset: lockOffset})
	if err == windows.ERROR_LOCK_VIOLATION {
		return errLocked
	}
	return err
}

func releaseLock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{Offset: lockOffset})
}
