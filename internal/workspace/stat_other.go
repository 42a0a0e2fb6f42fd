//go:build !linux && !darwin

package workspace

import (
	"errors"
	"io/fs"
	"os"
)

const openFlags = os.O_RDONLY

var errNotFolder = errors.New("not a folder")

func lstat(path string) (stat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stat{}, err
	}
	return statOf(info), nil
}

func fstat(f *os.File) (stat, error) {
	info, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return statOf(info), nil
}

func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: uint32(info.Mode())}
}

func (s stat) isRegular() bool { return fs.FileMode(s.mode).IsRegular() }
func (s stat) isLink() bool    { return fs.FileMode(s.mode)&fs.ModeSymlink != 0 }
func (s stat) isFolder() bool  { return fs.FileMode(s.mode).IsDir() }
func (s stat) isExec() bool    { return s.mode&0o100 != 0 }

// syncFileSystem does nothing.
func syncFileSystem(string) error { return nil }
