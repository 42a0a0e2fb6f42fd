package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"mulligan/internal/regular"
)

// MaxBytes is the size of the largest file that is read: config, prompt or task.
const MaxBytes = 1 << 20

// ReadFile reads a text file of bounded size. Its errors are for people and do not name the file:
// the caller does.
func ReadFile(path string) ([]byte, error) {
	data, err := regular.ReadFile(path, MaxBytes)
	if err != nil {
		return nil, rewordFileError(err)
	}
	return CheckText(data)
}

// CheckText returns text without its byte order mark, or an error if it is not text.
func CheckText(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if line := findLine(data, func(line []byte) bool { return !utf8.Valid(line) }); line > 0 {
		return nil, fmt.Errorf("is not UTF-8 text (line %d)", line)
	}
	if line := findLine(data, func(line []byte) bool { return bytes.IndexByte(line, 0) >= 0 }); line > 0 {
		return nil, fmt.Errorf("has a zero byte (line %d)", line)
	}
	return data, nil
}

// findLine returns the number of the first line that fits, or 0 if none does.
func findLine(data []byte, fits func(line []byte) bool) int {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if fits(line) {
			return number
		}
	}
	return 0
}

// rewordFileError returns an error of the file system without the file's name.
func rewordFileError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("does not exist")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("may not be read (permission denied)")
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// A source is a text that values stand in.
type source struct {
	name  string // as the user named it
	path  string // absolute, where it is a file
	first int    // number of the line before the first: front matter begins at 1
	lines []string
}

func newSource(name, path string, data []byte) *source {
	return &source{name: name, path: path, lines: strings.Split(normalizeLines(data), "\n")}
}

// normalizeLines returns a text whose lines end with a newline alone, so that all count lines alike.
func normalizeLines(data []byte) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
}

// A place is where a value stands.
type place struct {
	src  *source
	line int // of the source's text; 0 where it has no lines
	col  int
}

// inFile reports whether the place is in a file, and not a flag, a variable or a default.
func (p place) inFile() bool { return p.src != nil && p.src.path != "" }

// newMistake returns a mistake at the place.
func (p place) newMistake(path, message, hint string) Mistake {
	m := Mistake{Path: path, Message: message, Hint: hint}
	if p.src == nil {
		m.File = "default"
		return m
	}
	m.File = p.src.name
	if p.line < 1 || p.line > len(p.src.lines) {
		return m
	}
	m.Source = p.src.lines[p.line-1]
	m.Col = p.col
	if p.src.path != "" {
		m.Line = p.src.first + p.line
	}
	return m
}

// origin returns the place in the words of `mulligan config`.
func (p place) origin() string {
	switch {
	case p.src == nil:
		return "default"
	case p.src.path == "":
		return p.src.name
	}
	return fmt.Sprintf("%s:%d", p.src.name, p.src.first+p.line)
}
