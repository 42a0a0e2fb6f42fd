package gitfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Keeper keeps copies of what is put back, in a folder of its own for each comparison. The zero value with a
// Dir is ready to use.
type Keeper struct {
	Dir string // the folder of the session, under which each comparison has a number

	folder string
}

// open makes the folder of this comparison.
func (k *Keeper) open() error {
	if k.folder != "" {
		return nil
	}
	if err := os.MkdirAll(k.Dir, 0o700); err != nil {
		return err
	}
	for n := 1; ; n++ {
		folder := filepath.Join(k.Dir, fmt.Sprint(n))
		err := os.Mkdir(folder, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		k.folder = folder
		return err
	}
}

// maxKept bounds what is kept of a folder that has taken a file's place.
const maxKept = 32 << 20

// Keep copies what a path has, and returns the path of the copy, or "" if there is nothing to copy. Of what is no
// file it keeps a description.
func (k *Keeper) Keep(git, path string) (string, error) {
	e := readEntry(path)
	if e.Kind == absent {
		return "", nil
	}
	if err := k.open(); err != nil {
		return "", fmt.Errorf("cannot keep %s: %w", path, err)
	}
	name, err := filepath.Rel(git, path)
	if err != nil || strings.HasPrefix(name, "..") {
		name = filepath.Base(path)
	}
	to := filepath.Join(k.folder, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", fmt.Errorf("cannot keep %s: %w", path, err)
	}
	switch e.Kind {
	case file:
		err = os.WriteFile(to, e.Data, 0o600)
	case large:
		err = moveOrDescribe(path, to, e)
	case folder:
		err = copyFolder(path, to)
	default:
		err = os.WriteFile(to, []byte(e.describe()+"\n"), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("cannot keep %s: %w", path, err)
	}
	return to, nil
}

// moveOrDescribe moves a large file, or describes it where another file system has the copies.
func moveOrDescribe(path, to string, e entry) error {
	if os.Rename(path, to) == nil {
		return nil
	}
	return os.WriteFile(to, []byte(e.describe()+"\n"), 0o600)
}

// copyFolder copies the files of a folder, as many as maxKept allows.
func copyFolder(from, to string) error {
	var size int64
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read cannot be kept
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		_, data := readContent(path)
		if size += int64(len(data)); size > maxKept {
			return fs.SkipAll
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o600)
	})
}
