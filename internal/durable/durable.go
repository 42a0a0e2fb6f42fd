// Package durable writes files so that a crash or a power cut leaves the whole of a file or
// nothing of it.
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes the file at path of what write writes. It makes the folders that are missing. When
// it returns nil, the content and the name are on the disk; when it fails, an older file of that
// name is as it was.
func Write(path string, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	if err := MakeDirs(dir); err != nil {
		return err
	}
	if err := replace(path, write); err != nil {
		return err
	}
	return SyncDir(dir)
}

// WriteFile is Write for content that is in memory.
func WriteFile(path string, data []byte) error {
	return Write(path, writerOf(data))
}

// ReplaceFile is WriteFile without a flush of the folder, which must exist: after a power cut the
// name may still mean the older file, or none, but never a part of the new one.
func ReplaceFile(path string, data []byte) error {
	return replace(path, writerOf(data))
}

// Update is WriteFile for a file that other programs write too: it gets the mode, and just before it gets
// its name ready is called. Where that returns an error, the older file stays and the error is returned.
// The folder must exist.
func Update(path string, data []byte, mode fs.FileMode, ready func() error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	err = errors.Join(writerOf(data)(f), f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = ready()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(filepath.Dir(path))
}

// writerOf returns a function that writes data.
func writerOf(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// replace writes a temporary file beside path, flushes it, and only then gives it its name.
func replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// MakeDirs makes dir and the folders above it that are missing, and flushes the name of each.
func MakeDirs(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(parent)
}
