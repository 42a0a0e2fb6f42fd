package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// A DamagedFileError is a retry file that cannot be used.
type DamagedFileError struct {
	Path string
	Why  string // in one line
}

func (e *DamagedFileError) Error() string {
	return fmt.Sprintf("the retry file %s is left out: %s; `mulligan retry-config set` writes a new one and keeps this one beside it, `reset` deletes it", e.Path, e.Why)
}

// CheckRetryFile returns the text of a retry file, nil if there is none. Its error is a *DamagedFileError
// if the file cannot be used.
func (s *Schema) CheckRetryFile(path string) ([]byte, error) {
	l := &loader{root: s.root}
	if wrong := l.mergeRetryFile(path); wrong != nil {
		return nil, wrong
	}
	data, err := ReadFile(path)
	if isMissing(path) {
		return nil, nil
	}
	return data, err
}

// isMissing reports whether there is no file of that path. A file in a folder's place is a fault of the
// state folder, which the process that writes there reports.
func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return path == "" || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// mergeRetryFile merges the retry file over the layers below, or nothing of it: it returns what is wrong
// with the file if it cannot be used.
func (l *loader) mergeRetryFile(path string) error {
	if _, given := l.texts[path]; !given && isMissing(path) {
		return nil
	}
	data, err := l.readFile(path)
	if err != nil {
		return &DamagedFileError{Path: path, Why: "it " + err.Error()}
	}
	n, mistakes := l.decodeRetryFile(path, data)
	if len(mistakes) > 0 {
		return &DamagedFileError{Path: path, Why: mistakes[0].inOneLine()}
	}
	if len(n.fields[retryKey].keys) > 0 {
		l.merged = mergeNodes(l.merged, n)
	}
	return nil
}

// retryKey is the only key of a retry file.
const retryKey = "adaptive_retry"

// decodeRetryFile checks the text of a retry file by itself.
func (l *loader) decodeRetryFile(path string, data []byte) (*node, Mistakes) {
	r, mistakes := parse(newSource(path, path, data), data)
	switch {
	case len(mistakes) > 0:
		return nil, mistakes
	case r == nil:
		return nil, Mistakes{{File: path, Message: "it is empty"}}
	case r.shape != isMap || len(r.entries) != 1 || r.entries[0].key != retryKey:
		return nil, Mistakes{{File: path, Message: "it has something else than the mapping " + retryKey}}
	}
	d := &decoder{}
	n := d.decodeValue(r, l.root, "", l.merged)
	return n, d.mistakes
}

// CheckRetryText returns the mistakes of a text for the retry file that can be found in it alone.
func (s *Schema) CheckRetryText(path string, text []byte) Mistakes {
	l := &loader{root: s.root}
	_, mistakes := l.decodeRetryFile(path, text)
	return mistakes
}

// inOneLine returns a mistake without its file.
func (m Mistake) inOneLine() string {
	if m.Line == 0 {
		return replaceControls(m.describe())
	}
	return replaceControls(fmt.Sprintf("line %d: %s", m.Line, m.describe()))
}
