//go:build !linux && !darwin

package workspace

import (
	"errors"
	"io/fs"
	"os"
)

const openFlags = os.O_RDONLY

var errNotFolder = errors.New("not a folder")

func lstat(path string) (stat, error) { return statOf(os.Lstat(path)) }

func fstat(f *os.File) (stat, error) { return statOf(f.Stat()) }

func statOf(info fs.FileInfo, err error) (stat, error) {
	if err != nil {
		return stat{}, err
	}
	return stat{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: uint32(info.Mode())}, nil
}

func (s stat) isRegular() bool { return fs.FileMode(s.mode).IsRegular() }
func (s stat) isLink() bool    { return fs.FileMode(s.mode)&fs.ModeSymlink != 0 }
func (s stat) isFolder() bool  { return fs.FileMode(s.mode).IsDir() }

// syncFileSystem does nothing.
func syncFileSystem(string) error { return nil }
