//go:build !linux && !darwin

package gitfiles

import "io/fs"

// identify returns what tells a file or folder from any other one. ok is false where the system does not
// tell.
func identify(fs.FileInfo) (inode, device uint64, ok bool) { return 0, 0, false }

// changeTime returns when a file was last changed, in a way that no program can set back, or 0 where the
// system does not tell.
func changeTime(fs.FileInfo) int64 { return 0 }
