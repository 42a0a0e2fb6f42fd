//go:build unix

package gitfolder

import (
	"os"
	"syscall"
)

// openFlags open a fifo without waiting for its writer.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
