package past

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mulligan/history"
	"mulligan/internal/durable"
)

// parseRecord reads a line of a segment.
func parseRecord(line []byte) (history.Session, error) {
	var head header
	if err := json.Unmarshal(line, &head); err != nil {
		return history.Session{}, err
	}
	if head.Version > formatVersion {
		return history.Session{}, errNewer
	}
	var r recordLine
	if err := json.Unmarshal(line, &r); err != nil {
		return history.Session{}, err
	}
	if r.Record.ID == "" || r.Record.Events < 1 {
		return history.Session{}, errors.New("it is no record")
	}
	return r.Record, nil
}

// scanSegment returns the entries of a file of records. One that is damaged is put aside, and its good
// lines get a file of the same name. It must be called with the volume's lock held.
func (v volume) scanSegment(n int) ([]entry, error) {
	path := v.segmentPath(n)
	data, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, v.book.setAside(path, errors.Unwrap(err))
	}
	var entries []entry
	var good bytes.Buffer
	var fault error
	number := 0
	for line := range bytes.Lines(data) {
		number++
		text := bytes.TrimSuffix(line, []byte("\n"))
		r, err := parseRecord(text)
		switch {
		case errors.Is(err, errNewer):
			return nil, damaged(path, err)
		case err != nil:
			fault = fmt.Errorf("line %d is damaged", number)
			continue
		}
		entries = append(entries, entryOf(r, n, int64(good.Len()), len(text)))
		good.Write(text)
		good.WriteByte('\n')
	}
	if fault == nil {
		return entries, nil
	}
	if err := v.book.setAside(path, fault); err != nil {
		return nil, err
	}
	return entries, durable.ReplaceFile(path, good.Bytes())
}

// A recordReader reads records at their places, and keeps the files open.
type recordReader struct {
	v     volume
	files map[int]*os.File
}

func (v volume) newReader() *recordReader {
	return &recordReader{v: v, files: map[int]*os.File{}}
}

func (r *recordReader) close() {
	for _, f := range r.files {
		f.Close()
	}
}

// read returns the record at a place. The error is a *damageError of its file.
func (r *recordReader) read(e entry) (history.Session, error) {
	path := r.v.segmentPath(e.Segment)
	f := r.files[e.Segment]
	if f == nil {
		var err error
		if f, err = openFile(path); errors.Is(err, fs.ErrNotExist) {
			err = damaged(path, errors.New("it is gone"))
		}
		if err != nil {
			return history.Session{}, err
		}
		r.files[e.Segment] = f
	}
	line := make([]byte, e.Length)
	if _, err := f.ReadAt(line, e.Offset); err != nil {
		return history.Session{}, damaged(path, err)
	}
	record, err := parseRecord(line)
	if err == nil && (record.ID != e.ID || record.Events != e.Events) {
		err = fmt.Errorf("at byte %d is another session than the index names", e.Offset)
	}
	return record, damaged(path, err)
}
