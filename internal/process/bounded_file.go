package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// DefaultFileLimit is how large the file of one output may become if nothing else is asked for.
const DefaultFileLimit = 1 << 30

// A BoundedFile is a file for an output of any size. It keeps the output's start and its end, in bounded
// memory. An output that is no larger than the limit goes to the file. Once it is larger, the file has the first
// half of the limit, and what follows goes to two files beside it in turns; Close puts these behind the start, with
// a line that tells how much is missing. All of them together are no larger than the limit. It is not safe for
// concurrent use.
type BoundedFile struct {
	path  string
	limit int64
	file  *os.File
	start int64 // size of the output's start
	room  int64 // bytes that may still go to the file itself
	apart bool  // what follows goes to files beside it

	older, newer *tailFile // the end of an output that is larger; nil before it is
	beyond       int64     // bytes of such an output that are not of its start
	turns        int       // how many files the end has had
}

// A tailFile is a part of the end of an output.
type tailFile struct {
	*os.File
	size int64
}

// OpenBounded opens the file at path for writing. flag is os.O_TRUNC or os.O_APPEND; limit is how large the
// file may become, 0 for DefaultFileLimit. What a process that was killed has left beside the file is removed.
func OpenBounded(path string, flag int, limit int64) (*BoundedFile, error) {
	if limit <= 0 {
		limit = DefaultFileLimit
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	b := &BoundedFile{path: path, limit: limit, file: f, start: limit / 2}
	if b.apart = info.Size() > b.start; !b.apart {
		b.room = b.start + 2*b.tailSize() - info.Size()
	}
	for turn := range 2 {
		if err := os.Remove(b.tailPath(turn)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, f.Close())
		}
	}
	return b, nil
}

// tailSize returns how large a part of the output's end becomes.
func (b *BoundedFile) tailSize() int64 { return max(b.limit/4, 1) }

// tailPath returns the path of a part of the output's end.
func (b *BoundedFile) tailPath(turn int) string { return fmt.Sprintf("%s.end-%d", b.path, turn%2+1) }

// Write takes the next bytes of the output.
func (b *BoundedFile) Write(p []byte) (written int, err error) {
	n, err := b.file.Write(p[:min(int64(len(p)), b.room)])
	b.room -= int64(n)
	if err != nil {
		return n, err
	}
	for written = n; written < len(p); written += n {
		if n, err = b.writeTail(p[written:]); err != nil {
			return written + n, err
		}
	}
	return written, nil
}

// writeTail writes as much to the end's newer file as that may take.
func (b *BoundedFile) writeTail(p []byte) (int, error) {
	each := b.tailSize()
	if !b.apart {
		if err := b.splitFile(); err != nil {
			return 0, err
		}
	}
	if b.newer == nil || b.newer.size >= each {
		if err := b.turnTails(); err != nil {
			return 0, err
		}
	}
	n, err := b.newer.Write(p[:min(int64(len(p)), each-b.newer.size)])
	b.newer.size += int64(n)
	b.beyond += int64(n)
	return n, err
}

// splitFile leaves the output's start in the file, and moves the newer half of what follows it to a file of its
// own. The older half is cut.
func (b *BoundedFile) splitFile() error {
	if err := b.turnTails(); err != nil {
		return err
	}
	each := b.tailSize()
	if err := b.moveEnd(b.newer.File, each); err != nil {
		err = errors.Join(err, b.newer.remove(b.tailPath(0)))
		b.newer = nil
		return err
	}
	if err := b.shrinkFile(b.start); err != nil {
		return err
	}
	b.apart, b.newer.size, b.beyond = true, each, 2*each
	return nil
}

// moveSize is how much moveEnd moves at once.
const moveSize = 1 << 20

// moveEnd moves the last size bytes of the file to another one. It begins at the end and shortens the file as it
// goes: the disk never has much more than before, and the file is a beginning of the output all the time.
func (b *BoundedFile) moveEnd(to *os.File, size int64) error {
	from := b.start + 2*b.tailSize() - size
	buf := make([]byte, min(size, moveSize))
	for size > 0 {
		part := buf[:min(size, moveSize)]
		size -= int64(len(part))
		if _, err := b.file.ReadAt(part, from+size); err != nil {
			return err
		}
		if _, err := to.WriteAt(part, size); err != nil {
			return err
		}
		if err := b.shrinkFile(from + size); err != nil {
			return err
		}
	}
	return nil
}

// shrinkFile cuts the file and continues it there.
func (b *BoundedFile) shrinkFile(size int64) error {
	if err := b.file.Truncate(size); err != nil {
		return err
	}
	_, err := b.file.Seek(size, io.SeekStart)
	return err
}

// turnTails begins another file for the end. It takes the place of the older of the two.
func (b *BoundedFile) turnTails() error {
	path := b.tailPath(b.turns)
	if err := b.older.remove(path); err != nil {
		return err
	}
	b.older, b.newer = b.newer, nil
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	b.newer = &tailFile{File: f}
	b.turns++
	return nil
}

// remove closes and removes the file at path; t may be nil.
func (t *tailFile) remove(path string) error {
	if t == nil {
		return nil
	}
	return errors.Join(t.File.Close(), os.Remove(path))
}

// appendTo appends the part to a file.
func (t *tailFile) appendTo(f *os.File) error {
	if _, err := t.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyN(f, t.File, t.size) // which a system may do without reading it
	return err
}

// Cut returns how many bytes of the output, between its start and its end, the file does not have.
func (b *BoundedFile) Cut() int64 {
	cut := b.beyond
	for _, t := range []*tailFile{b.older, b.newer} {
		if t != nil {
			cut -= t.size
		}
	}
	return cut
}

// Close puts the end of the output behind its start, and closes the file.
func (b *BoundedFile) Close() error {
	var err error
	if cut := b.Cut(); cut > 0 {
		_, err = fmt.Fprintf(b.file, "\n[mulligan: %d bytes are cut here: an output's file has at most %d bytes (limits.output_mib)]\n", cut, b.limit)
	}
	for i, t := range []*tailFile{b.older, b.newer} {
		if t == nil {
			continue
		}
		if err == nil {
			err = t.appendTo(b.file)
		}
		err = errors.Join(err, t.remove(b.tailPath(b.turns+i))) // the older one has the place of the next
	}
	b.older, b.newer = nil, nil
	return errors.Join(err, b.file.Close())
}
