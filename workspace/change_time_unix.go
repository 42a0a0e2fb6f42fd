//go:build linux || darwin

package workspace

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime returns when a file was last changed in any way, which no program can set.
func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return statusTime(st)
	}
	return info.ModTime()
}
