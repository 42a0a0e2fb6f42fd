package workspace

import "syscall"

// errNotDir is the system's error for a path whose parent is a file.
var errNotDir error = syscall.ERROR_PATH_NOT_FOUND
