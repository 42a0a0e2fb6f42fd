package gitfiles

import (
	"io/fs"
	"syscall"
)

// changeTime returns when a file was last changed, in a way that no program can set back, or 0 where the
// system does not tell.
func changeTime(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano()
	}
	return 0
}
