package gitfiles

import (
	"slices"
	"syscall"
)

// keepsFolderTimes are the file systems, by the numbers that statfs has for them, that change the time of a folder
// with whatever is made, removed or renamed in it: ext2 to ext4, XFS, Btrfs, F2FS and tmpfs. Those of a network or of
// a program are not among them.
var keepsFolderTimes = []int64{0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994}

// updatesFolderTimes reports whether the file system of a folder is known to change the folder's time with whatever
// is made, removed or renamed in it.
func updatesFolderTimes(dir string) bool {
	var st syscall.Statfs_t
	return syscall.Statfs(dir, &st) == nil && slices.Contains(keepsFolderTimes, int64(uint32(st.Type)))
}
