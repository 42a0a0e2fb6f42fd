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

// A damageError is a file of the history that cannot be read to its end.
type damageError struct {
	path string
	err  error
}

func (e *damageError) Error() string {
	return fmt.Sprintf("the history %s cannot be read: %v", e.path, e.err)
}
func (e *damageError) Unwrap() error { return e.err }

// isDamage reports whether an error is that of a file which can be put aside and made again.
func isDamage(err error) bool {
	_, ok := errors.AsType[*damageError](err)
	return ok
}

// setAside renames what is at a path, and warns. It must be called with the lock held.
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

// clearWay puts aside what is in the place of the folder or of a lock and is none.
func (b *Book) clearWay(lock string) error {
	if info, err := os.Stat(b.dir); err == nil && !info.IsDir() {
		if err := b.setAside(b.dir, errors.New("it is no folder")); err != nil {
			return err
		}
	}
	if info, err := os.Stat(lock); err == nil && !info.Mode().IsRegular() {
		return b.setAside(lock, errors.New("it is no file"))
	}
	return nil
}
