//go:build !linux

package gitfiles

// updatesFolderTimes reports whether the file system of a folder is known to change the folder's time with whatever
// is made, removed or renamed in it.
func updatesFolderTimes(string) bool { return false }
