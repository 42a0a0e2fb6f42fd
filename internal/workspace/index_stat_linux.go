package workspace

import (
	"encoding/binary"
	"os"
	"syscall"
)

// lstatForIndex returns the stat of a file, also as git keeps it in the index with the mode of the entry.
func lstatForIndex(path string, mode uint32) (st stat, encoded [statSize]byte, err error) {
	var s syscall.Stat_t
	for {
		if err = syscall.Lstat(path, &s); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return st, encoded, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	for i, n := range []uint32{
		uint32(s.Ctim.Sec), uint32(s.Ctim.Nsec), uint32(s.Mtim.Sec), uint32(s.Mtim.Nsec),
		uint32(s.Dev), uint32(s.Ino), mode, s.Uid, s.Gid, uint32(s.Size),
	} {
		binary.BigEndian.PutUint32(encoded[4*i:], n)
	}
	return statOf(&s), encoded, nil
}
