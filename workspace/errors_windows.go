package workspace

import "syscall"

// errNotDir is the system's error for a path whose parent is a file.
var errNotDir error = syscall.ERROR_PATH_NOT_FOUND

// errNameTooLong is the system's error for a path that is longer than it allows.
var errNameTooLong error = syscall.Errno(206) // ERROR_FILENAME_EXCED_RANGE
