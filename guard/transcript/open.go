package transcript

import (
	"errors"
	"fmt"
	"os"

	"mulligan/internal/regular"
)

// A NotFileError means that a path is something else than a file with a transcript.
type NotFileError struct {
	Path string
	What string // "a folder", "a named pipe" …
}

func (e *NotFileError) Error() string {
	return fmt.Sprintf("the transcript %s is %s, not a file", e.Path, e.What)
}

// Open opens a transcript. It opens regular files only, and waits for nothing: a path that an agent
// names can be a pipe that nobody writes to. The error is a *NotFileError for all else that exists.
func Open(path string) (*os.File, error) {
	f, _, err := regular.Open(path)
	if kind, ok := errors.AsType[*regular.KindError](err); ok {
		return nil, &NotFileError{Path: path, What: describeMode(kind.Mode)}
	}
	if err != nil {
		return nil, fmt.Errorf("the transcript cannot be read: %w", err)
	}
	return f, nil
}

func describeMode(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&os.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	case mode&os.ModeDevice != 0:
		return "a device"
	}
	return "of an unknown kind"
}
