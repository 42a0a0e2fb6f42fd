//go:build linux || darwin

package workspace

import "syscall"

// isFull reports whether the file system of a folder has hardly any room left.
func isFull(dir string) bool {
	var fs syscall.Statfs_t
	return syscall.Statfs(dir, &fs) == nil && fs.Bavail*uint64(fs.Bsize) < 64<<10
}
