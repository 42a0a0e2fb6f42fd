//go:build unix

package jetstream

import (
	"io/fs"
	"syscall"
)

// requireUnix returns nil.
func requireUnix() error { return nil }

// ownerOf returns the id of the user that a file belongs to, where the system knows it.
func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
