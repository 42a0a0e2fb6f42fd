//go:build linux || darwin

package workspace

import (
	"os"
	"syscall"
)

const openFlags = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

var errNotFolder error = syscall.ENOTDIR

// lstat returns the stat of a path. It is called for every file after every turn, so it allocates nothing.
func lstat(path string) (stat, error) {
	var st syscall.Stat_t
	for {
		err := syscall.Lstat(path, &st)
		if err == nil {
			return statOf(&st), nil
		}
		if err != syscall.EINTR {
			return stat{}, &os.PathError{Op: "lstat", Path: path, Err: err}
		}
	}
}

func fstat(f *os.File) (stat, error) {
	info, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return statOf(info.Sys().(*syscall.Stat_t)), nil
}

func (s stat) isRegular() bool { return s.mode&syscall.S_IFMT == syscall.S_IFREG }
func (s stat) isLink() bool    { return s.mode&syscall.S_IFMT == syscall.S_IFLNK }
func (s stat) isFolder() bool  { return s.mode&syscall.S_IFMT == syscall.S_IFDIR }
