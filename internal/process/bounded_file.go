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
// memory: the first half of the limit goes to the file, what follows to two files beside it in turns, and
// Close puts these behind the start, with a line that tells how much is missing. It is not safe for concurrent
// use.
type BoundedFile struct {
	path  string
	limit int64
	file  *os.File
	room  int64 // bytes that may still go to the file itself

	older, newer *tailFile // the end of the output so far; nil before there is so much
	beyond       int64     // bytes that did not go to the file itself
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
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	b := &BoundedFile{path: path, limit: limit, file: f, room: max(limit/2-info.Size(), 0)}
	for turn := range 2 {
		if err := os.Remove(b.tailPath(turn)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, f.Close())
		}
	}
	return b, nil
}

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
	each := max(b.limit/4, 1)
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
			_, err = io.Copy(b.file, io.NewSectionReader(t, 0, t.size))
		}
		err = errors.Join(err, t.remove(b.tailPath(b.turns+i))) // the older one has the place of the next
	}
	b.older, b.newer = nil, nil
	return errors.Join(err, b.file.Close())
}
