package gitfiles

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mulligan/internal/durable"
)

// A kind is what a path is.
type kind string

const (
	absent kind = ""
	file   kind = "file"
	large  kind = "large" // a file with more than maxSize bytes
	locked kind = "locked"
	link   kind = "link"
	folder kind = "folder"
	odd    kind = "odd"
)

// maxSize bounds the content of a file that is remembered.
const maxSize = 4 << 20

// An entry is what a path of a git folder has.
type entry struct {
	Kind kind        `json:"kind,omitempty"`
	Mode fs.FileMode `json:"mode,omitempty"`
	Link string      `json:"link,omitempty"`
	// Data is the content of a file, or of the file that a link leads to.
	Data []byte `json:"data,omitempty"`
	// Inode and Device tell a folder from another one.
	Inode  uint64 `json:"inode,omitempty"`
	Device uint64 `json:"device,omitempty"`
}

// readEntry returns what a path has. It never waits for a fifo, and never follows a link to something that
// is not a file.
func readEntry(path string) entry {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}
	}
	e := entry{Mode: info.Mode().Perm()}
	switch t := info.Mode().Type(); {
	case t.IsRegular():
		e.Kind, e.Data = readContent(path)
	case t.IsDir():
		e.Kind = folder
		e.Inode, e.Device, _ = identify(info)
	case t == fs.ModeSymlink:
		e.Kind = link
		e.Link, _ = os.Readlink(path)
		if to, err := os.Stat(path); err == nil && to.Mode().IsRegular() {
			_, e.Data = readContent(path)
		}
	default:
		e.Kind = odd
	}
	return e
}

// readContent reads a file that is one: it does not wait for a fifo that has just taken the file's place.
func readContent(path string) (kind, []byte) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return locked, nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return odd, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	switch {
	case err != nil:
		return locked, nil
	case len(data) > maxSize:
		return large, nil
	}
	return file, data
}

// equals reports whether two entries are the same to git. For a hook it also matters who may execute it.
func (e entry) equals(o entry, hook bool) bool {
	if e.Kind != o.Kind || e.Link != o.Link || !bytes.Equal(e.Data, o.Data) {
		return false
	}
	return !hook || e.Kind != file || e.Mode&0o111 == o.Mode&0o111
}

// isOdd reports whether git would not find a file where it reads one.
func (e entry) isOdd() bool {
	return e.Kind == odd || e.Kind == folder || e.Kind == link || e.Kind == locked
}

// describe returns what an entry is, for a person.
func (e entry) describe() string {
	switch e.Kind {
	case absent:
		return "gone"
	case link:
		return "a link to " + e.Link
	case folder:
		return "a folder"
	case odd:
		return "a fifo, a socket or a device"
	case locked:
		return "a file that cannot be read"
	case large:
		return "a file of more than 4 MiB"
	default:
		return "a file"
	}
}

// put makes a path what it was. What is there now must have been kept before.
func (e entry) put(path string) error {
	if now := readEntry(path); now.Kind != file && now.Kind != absent && !(e.Kind == link && now.Kind == link && now.Link == e.Link) {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	switch e.Kind {
	case absent:
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		return err
	case file:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return durable.Update(path, e.Data, e.Mode, func() error { return nil })
	case link:
		return e.putLink(path)
	default:
		return nil
	}
}

// putLink makes a path the link that it was, to a file with the content that it had.
func (e entry) putLink(path string) error {
	if now := readEntry(path); now.Kind != link {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if err := os.Symlink(e.Link, path); err != nil {
			return err
		}
	}
	if now := readEntry(path); e.Data == nil || bytes.Equal(now.Data, e.Data) {
		return nil
	}
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return durable.Update(to, e.Data, e.Mode, func() error { return nil })
}
