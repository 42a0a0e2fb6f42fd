//go:build unix

package workspace

import "syscall"

// errNotDir is the system's error for a path whose parent is a file.
var errNotDir error = syscall.ENOTDIR

// errNameTooLong is the system's error for a path that is longer than it allows.
var errNameTooLong error = syscall.ENAMETOOLONG
