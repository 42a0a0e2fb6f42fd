package lockfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset is far behind the note: the lock is on this one byte, so that others can read the note.
const lockOffset = 1 << 30

func tryExclusive(f *os.File) error { return lockByte(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

func tryShared(f *os.File) error { return lockByte(f, 0) }

func release(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{Offset: lockOffset})
}

func lockByte(f *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{Offset: lockOffset})
	if err == windows.ERROR_LOCK_VIOLATION {
		return ErrLocked
	}
	return err
}
