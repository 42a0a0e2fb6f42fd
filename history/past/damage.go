package past

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errNewer is a file that a newer mulligan has written.
var errNewer = errors.New("a newer mulligan has written it")

// A damageError is a file of the history that cannot be used.
type damageError struct {
	path string
	err  error
}

func (e *damageError) Error() string { return fmt.Sprintf("%s: %v", e.path, e.err) }
func (e *damageError) Unwrap() error { return e.err }

// damaged returns the error of a file that cannot be used, or nil if err is nil.
func damaged(path string, err error) error {
	if err == nil {
		return nil
	}
	return &damageError{path: path, err: err}
}

// isDamage reports whether an error is that of a file which can be put aside and made again.
func isDamage(err error) bool {
	_, ok := errors.AsType[*damageError](err)
	return ok && !errors.Is(err, errNewer)
}

// maxFile is the largest file that is read into memory. A file that another program put there may be of any size.
const maxFile = 1 << 30

// readWhole reads a file. It does not wait for what is no file: a pipe, a device. The error is
// fs.ErrNotExist, or a *damageError.
func readWhole(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, damaged(path, err)
	}
	if info.Size() > maxFile {
		return nil, damaged(path, fmt.Errorf("it has %d bytes", info.Size()))
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if err != nil && n < len(data) { // it became shorter meanwhile
		return nil, damaged(path, err)
	}
	return data, nil
}

// openFile opens a file for reading, as readWhole reads it.
func openFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, damaged(path, err)
	case !info.Mode().IsRegular():
		return nil, damaged(path, fmt.Errorf("it is no file (%s)", info.Mode().Type()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, damaged(path, err)
	}
	return f, nil
}

// setAside renames what is at a path, and warns. It must be called with the volume's lock held.
func (b *Book) setAside(path string, why error) error {
	for n := 1; n < 10_000; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", path, n)
		if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Rename(path, aside); err != nil {
			return fmt.Errorf("the history %s cannot be used (%w), and not be put aside: %w", path, why, err)
		}
		b.say("the history %s cannot be read (%v): it is kept as %s, and made again from the journal", path, why, filepath.Base(aside))
		return nil
	}
	return fmt.Errorf("the history %s cannot be used: %w", path, why)
}

// clearWay puts aside what is in the place of the volume's folder or its lock and is none.
func (v volume) clearWay() error {
	for _, dir := range []string{v.book.dir, v.dir, filepath.Join(v.dir, "pipelines")} {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			if err := v.book.setAside(dir, fmt.Errorf("it is no folder")); err != nil {
				return err
			}
		}
	}
	lock := filepath.Join(v.dir, "lock")
	if info, err := os.Stat(lock); err == nil && !info.Mode().IsRegular() {
		return v.book.setAside(lock, fmt.Errorf("it is no file"))
	}
	return nil
}
