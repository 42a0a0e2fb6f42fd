package workspace

import "mulligan/internal/lockfile"

// A LockFile is the lock of a workspace.
type LockFile = lockfile.File

// A BusyError is a workspace that another process has locked.
type BusyError = lockfile.BusyError

// Lock is lockfile.Lock.
func Lock(path string) (*LockFile, error) { return lockfile.Lock(path) }

// Holder is lockfile.Holder.
func Holder(path string) (note string, held bool) { return lockfile.Holder(path) }
