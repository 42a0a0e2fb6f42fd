// Package gitfolder makes git folders of mulligan's own over the objects and refs of a repository, with
// config, attributes and excludes as they were at one moment. A git that runs with one of them starts no
// program, and hides or shows no file, by anything that was set up in the repository later.
//
// The folder has links to the repository's refs, so that branches are read and moved in the repository
// itself. The index and the objects are named by variables of the environment. HEAD is a copy, which
// Prepare brings up to date before each git, and WriteHead writes back.
package gitfolder

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A NotFileError means that something else is in the place of a file that git reads. A git that opened
// a fifo would wait for ever.
type NotFileError struct {
	Path string
	Mode fs.FileMode
}

func (e *NotFileError) Error() string {
	return fmt.Sprintf("%s is %s where git reads a file; remove it, or put the file back", e.Path, describeMode(e.Mode))
}

// describeMode returns what a file that is no regular one is.
func describeMode(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeNamedPipe:
		return "a fifo"
	case fs.ModeSocket:
		return "a socket"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		return "a device"
	case fs.ModeDir:
		return "a folder"
	}
	return "no regular file"
}

// CheckFile returns a *NotFileError if something is at the path, links followed, that is no regular file.
func CheckFile(path string) error {
	st, err := os.Stat(path)
	if err != nil || st.Mode().IsRegular() || isNull(st) {
		return nil // whoever opens the file reports why it cannot be read
	}
	return &NotFileError{Path: path, Mode: st.Mode()}
}

// isNull reports whether a file is the null device, which is an empty file for git.
func isNull(st fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(st, null)
}

// maxFile is the size up to which ReadFile reads a file of git's: the refs of a large repository have a
// tenth of that.
const maxFile = 256 << 20

// ReadFile returns the content of a file, links followed, and never waits for a writer. The error is a
// *NotFileError if it is no regular file.
func ReadFile(path string) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s has more than %d MB, too much for a file of git's", path, maxFile>>20)
	}
	return data, err
}

// OpenFile opens a regular file for reading, as ReadFile does.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		if odd := CheckFile(path); odd != nil { // a socket cannot be opened at all
			return nil, odd
		}
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() && !isNull(st) {
		err = &NotFileError{Path: path, Mode: st.Mode()}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
