// Package regular reads files by names that somebody else chose: those of a repository, which can lead to a
// pipe that nobody writes to, to a device that never ends, or to a file that fills the memory.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A KindError means that a path leads to something else than a regular file. It does not name the path.
type KindError struct {
	Mode fs.FileMode // of what is there
}

func (e *KindError) Error() string {
	if e.Mode.IsDir() {
		return "is a folder, not a file"
	}
	return "is not a regular file"
}

const mebibyte = 1 << 20

// A SizeError means that a file is larger than its reader takes. It does not name the file.
type SizeError struct {
	Limit int64
	Size  int64 // at least this
}

func (e *SizeError) Error() string {
	if e.Limit%mebibyte == 0 {
		return fmt.Sprintf("is larger than %d MiB (%d bytes)", e.Limit/mebibyte, e.Size)
	}
	return fmt.Sprintf("is larger than %d bytes (%d bytes)", e.Limit, e.Size)
}

// Open opens a regular file to read it, and waits for nothing. The error is a *KindError for all else that
// exists.
func Open(path string) (*os.File, fs.FileInfo, error) {
	// To open a device can have an effect.
	if info, err := os.Stat(path); err != nil {
		return nil, nil, err
	} else if err := checkKind(info); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkKind(info) // it may have been replaced meanwhile
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// ReadFile returns the content of a regular file of at most limit bytes. The error is a *KindError, a
// *SizeError, or the file system's.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &SizeError{Limit: limit, Size: max(info.Size(), int64(len(data)))}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// checkKind returns an error unless info is that of a regular file.
func checkKind(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &KindError{Mode: info.Mode()}
}
