package gitfolder

import (
	"io/fs"
	"syscall"
)

// changeTime returns when a file's content or its entry was last changed: unlike the time of its content
// nobody can set that.
func changeTime(st fs.FileInfo) int64 {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return sys.Ctim.Nano()
	}
	return 0
}
