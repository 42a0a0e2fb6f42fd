package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mulligan/internal/durable"
	"mulligan/internal/regular"
)

// byteOrderMark begins some files, and stays there.
const byteOrderMark = "\ufeff"

// ErrChanged is the error of a settings file that another program changed while it was edited. Nothing
// was written.
var ErrChanged = errors.New("another program changed it meanwhile")

// A file is a settings file as it was read.
type file struct {
	path   string // where it is, all links followed
	linked bool   // a link leads to it
	exists bool
	raw    []byte // all that was read
	text   []byte // without the byte order mark
	mode   fs.FileMode
}

// openFile reads a settings file. One that does not exist is no error.
func openFile(path string) (*file, error) {
	f := &file{path: path}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		f.linked = true
		if f.path, err = filepath.EvalSymlinks(path); errors.Is(err, fs.ErrNotExist) {
			return nil, &Mistake{Path: path, Message: "is a link to a file that does not exist"}
		}
		if err == nil {
			info, err = os.Stat(f.path)
		}
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, &Mistake{Path: filepath.Dir(path), Message: "is not a folder"}
	}
	if err != nil {
		return nil, err
	}
	f.exists, f.mode = true, info.Mode()
	f.raw, err = readRegular(path, f.path)
	f.text = bytes.TrimPrefix(f.raw, []byte(byteOrderMark))
	return f, err
}

// readRegular reads a file of bounded size. name is what errors call it.
func readRegular(name, path string) ([]byte, error) {
	data, err := regular.ReadFile(path, maxBytes)
	kind, isKind := errors.AsType[*regular.KindError](err)
	size, isSize := errors.AsType[*regular.SizeError](err)
	switch {
	case isKind:
		return nil, &Mistake{Path: name, Message: kind.Error()}
	case isSize:
		return nil, &Mistake{Path: name, Message: size.Error()}
	}
	return data, err
}

// create makes the file, and the folder if it is missing. content returns the text for a mark, which is
// "" unless the folder was made.
func (f *file) create(content func(mark string) []byte) error {
	dir, mark := filepath.Dir(f.path), ""
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		mark = madeFolder
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return durable.Update(f.path, content(mark), 0o644, f.checkUnchanged)
}

// replace gives the file another text.
func (f *file) replace(text []byte) error {
	mark := f.raw[:len(f.raw)-len(f.text)]
	return durable.Update(f.path, append(bytes.Clone(mark), text...), f.mode.Perm(), f.checkUnchanged)
}

// remove removes the file.
func (f *file) remove() error {
	if err := f.checkUnchanged(); err != nil {
		return err
	}
	if err := os.Remove(f.path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(f.path))
}

// checkUnchanged returns ErrChanged unless the file still is as it was read.
func (f *file) checkUnchanged() error {
	now, err := regular.ReadFile(f.path, maxBytes)
	switch {
	case !f.exists && errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && f.exists && bytes.Equal(now, f.raw):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", f.path, ErrChanged)
	}
	return err
}
