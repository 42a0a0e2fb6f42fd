package lockfile

import (
	"errors"
	"io/fs"
	"os"
)

// ErrLocked means that another open file has the lock, in this process or in another.
var ErrLocked = errors.New("locked")

// TryLock takes the exclusive lock of an open file, or returns ErrLocked. A shared lock that the
// file has already becomes an exclusive one.
func TryLock(f *os.File) error { return lockError(f, tryExclusive(f)) }

// TryShare takes the lock of an open file together with others that share it, or returns
// ErrLocked if one has it exclusively.
func TryShare(f *os.File) error { return lockError(f, tryShared(f)) }

// lockError adds the file's name to an error of the system's.
func lockError(f *os.File, err error) error {
	if err == nil || errors.Is(err, ErrLocked) {
		return err
	}
	return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
}
