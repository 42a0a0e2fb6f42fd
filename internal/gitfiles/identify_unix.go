//go:build linux || darwin

package gitfiles

import (
	"io/fs"
	"syscall"
)

// identify returns what tells a file or folder from any other one. ok is false where the system does not
// tell.
func identify(info fs.FileInfo) (inode, device uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return st.Ino, uint64(st.Dev), true
}
