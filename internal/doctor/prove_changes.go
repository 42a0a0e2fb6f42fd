package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mulligan/internal/regular"
)

// A change is one that is known to be bad.
type change struct {
	what string
	edit func(dir string, s *undoList) error
}

// make makes the change in the copy, and reports whether anything was there to change. undo puts the files
// back.
func (c change) make(dir string) (undo func(), changed bool, err error) {
	s := &undoList{}
	err = c.edit(dir, s)
	return s.undo, len(s.steps) > 0, err
}

// An undoList is how a change is taken back, the last step first.
type undoList struct{ steps []func() }

func (s *undoList) undo() {
	for i := len(s.steps) - 1; i >= 0; i-- {
		s.steps[i]()
	}
}

// write replaces a file's content.
func (s *undoList) write(dir, rel string, content []byte) error {
	path := filepath.Join(dir, rel)
	was, err := regular.ReadFile(path, maxChanged)
	if err != nil {
		return err
	}
	s.steps = append(s.steps, func() { os.WriteFile(path, was, 0o600) })
	return os.WriteFile(path, content, 0o600)
}

// remove takes a file away, if it is there.
func (s *undoList) remove(dir, rel string) error {
	path, aside := filepath.Join(dir, rel), filepath.Join(dir, rel)+".mulligan-prove"
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	s.steps = append(s.steps, func() { os.Rename(aside, path) })
	return nil
}

func (s *undoList) mkdir(dir, rel string) error {
	path := filepath.Join(dir, rel)
	s.steps = append(s.steps, func() { os.Remove(path) })
	return os.Mkdir(path, 0o700)
}

// nonsense is no program in any language.
const nonsense = "}{ )( this is not a program ][ \"\n"

// changes returns the bad changes of the source files.
func (s *source) changes() []change {
	overwrite := func(files []string, content string) func(string, *undoList) error {
		return func(dir string, undo *undoList) error {
			for _, rel := range files {
				if err := undo.write(dir, rel, []byte(content)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return []change{
		{what: "source files that are not programs", edit: overwrite(s.all, nonsense)},
		{what: "source files that are empty", edit: overwrite(s.all, "")},
		{what: "tests that are deleted", edit: func(dir string, undo *undoList) error {
			for _, rel := range s.tests {
				if err := undo.remove(dir, rel); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}
