package past

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"mulligan/history"
	"mulligan/internal/durable"
)

// maxSegment is the size at which a file of records is full.
const maxSegment = 8 << 20

// maxRecord bounds the length of one record.
const maxRecord = 64 << 20

// An entry of the index is where the record of a session is.
type entry struct {
	ID       string `json:"id"`
	Events   int64  `json:"n"`
	Time     int64  `json:"t"` // when it ended, in milliseconds
	Pipeline string `json:"p"` // or the loop's name
	Segment  int    `json:"f"`
	Offset   int64  `json:"o"`
	Length   int    `json:"l"`
}

// when returns when the session ended.
func (e entry) when() time.Time { return time.UnixMilli(e.Time).UTC() }

// A recordLine is a line of a segment.
type recordLine struct {
	Version int             `json:"v"`
	Record  history.Session `json:"record"`
}

// A header is the first line of the index.
type header struct {
	Version int `json:"v"`
}

func (v volume) segmentPath(n int) string { return filepath.Join(v.dir, fmt.Sprintf("%04d.jsonl", n)) }

// listSegments returns the numbers of the files of records, the oldest first.
func (v volume) listSegments() ([]int, error) {
	names, err := os.ReadDir(v.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []int
	for _, d := range names {
		number, ok := bytes.CutSuffix([]byte(d.Name()), []byte(".jsonl"))
		if n, err := strconv.Atoi(string(number)); ok && err == nil && n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// readIndex returns where the record of each session is. An index that is missing or damaged is made
// again from the records. It must be called with the volume's lock held.
func (v volume) readIndex() (map[string]entry, error) {
	known, err := v.parseIndex()
	switch {
	case err == nil:
		return known, nil
	case errors.Is(err, errNewer):
		return nil, err
	case !errors.Is(err, fs.ErrNotExist):
		if err := v.book.setAside(v.indexPath(), errors.Unwrap(err)); err != nil {
			return nil, err
		}
	}
	return v.rebuildIndex()
}

// parseIndex reads the index as it is. A last line without its end is one that is being written. The
// error is fs.ErrNotExist, or a *damageError.
func (v volume) parseIndex() (map[string]entry, error) {
	data, err := readWhole(v.indexPath())
	if err != nil {
		return nil, err
	}
	known, err := parseIndex(data)
	return known, damaged(v.indexPath(), err)
}

// parseIndex returns the last entry of each session in an index.
func parseIndex(data []byte) (map[string]entry, error) {
	var head header
	first, rest, ok := bytes.Cut(data, []byte("\n"))
	if err := json.Unmarshal(first, &head); !ok || err != nil || head.Version < 1 {
		return nil, errors.New("its first line is damaged")
	}
	if head.Version > formatVersion {
		return nil, errNewer
	}
	known := make(map[string]entry, bytes.Count(rest, []byte("\n")))
	number, name := 1, ""
	for line := range bytes.Lines(rest) {
		number++
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		e, ok := scanEntry(line, name)
		if !ok {
			e = entry{}
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("line %d is damaged", number)
			}
		}
		if !e.isSound() {
			return nil, fmt.Errorf("line %d is damaged", number)
		}
		name = e.Pipeline
		if e.Events >= known[e.ID].Events {
			known[e.ID] = e
		}
	}
	return known, nil
}

// isSound reports whether an entry can be that of a record.
func (e entry) isSound() bool {
	return e.ID != "" && e.Events > 0 && e.Segment > 0 && e.Offset >= 0 && e.Length > 0 && e.Length <= maxRecord
}

// scanEntry reads a line as appendRecords writes it, and reports whether it is one: an index has as many as
// there are sessions, and encoding/json takes ten times as long for each. last is the pipeline of the line
// before.
func scanEntry(line []byte, last string) (e entry, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"id":"`))
	id, rest, found := bytes.Cut(rest, []byte(`","n":`))
	if !ok || !found || bytes.ContainsAny(id, `"\`) {
		return e, false
	}
	e.ID = string(id)
	if e.Events, rest, ok = scanNumber(rest, `,"t":`); !ok {
		return e, false
	}
	if e.Time, rest, ok = scanNumber(rest, `,"p":"`); !ok {
		return e, false
	}
	name, rest, found := bytes.Cut(rest, []byte(`","f":`))
	if !found || bytes.ContainsAny(name, `"\`) {
		return e, false
	}
	if e.Pipeline = last; string(name) != last {
		e.Pipeline = string(name)
	}
	var segment, length int64
	if segment, rest, ok = scanNumber(rest, `,"o":`); !ok {
		return e, false
	}
	if e.Offset, rest, ok = scanNumber(rest, `,"l":`); !ok {
		return e, false
	}
	if length, rest, ok = scanNumber(rest, "}\n"); !ok || len(rest) > 0 {
		return e, false
	}
	e.Segment, e.Length = int(segment), int(length)
	return e, true
}

// scanNumber reads a number that is not negative and what follows it, and returns the rest.
func scanNumber(data []byte, then string) (n int64, rest []byte, ok bool) {
	digits := 0
	for digits < len(data) && digits < 18 && data[digits] >= '0' && data[digits] <= '9' {
		n = 10*n + int64(data[digits]-'0')
		digits++
	}
	rest, ok = bytes.CutPrefix(data[digits:], []byte(then))
	return n, rest, ok && digits > 0
}

// appendRecords appends records to the last file of records, and then their entries to the index. Neither
// is flushed to the disk: what a power cut takes is made again from the journal. It must be called with
// the volume's lock held.
func (v volume) appendRecords(records []history.Session) error {
	if err := v.checkIndexEnds(); err != nil {
		return err
	}
	n, at, err := v.findRoom()
	if err != nil {
		return err
	}
	var lines, index bytes.Buffer
	for _, r := range records {
		line, err := json.Marshal(recordLine{Version: formatVersion, Record: r})
		if err != nil {
			return err
		}
		e := entryOf(r, n, at+int64(lines.Len()), len(line))
		lines.Write(append(line, '\n'))
		line, err = json.Marshal(e)
		if err != nil {
			return err
		}
		index.Write(append(line, '\n'))
	}
	if err := appendTo(v.segmentPath(n), lines.Bytes()); err != nil {
		return err
	}
	return appendTo(v.indexPath(), index.Bytes())
}

// entryOf returns the entry of a record at a place.
func entryOf(r history.Session, segment int, offset int64, length int) entry {
	return entry{ID: r.ID, Events: r.Events, Time: r.Time().UnixMilli(), Pipeline: r.Line(), Segment: segment, Offset: offset, Length: length}
}

// findRoom returns the file of records that is appended to, and its size. One that does not end with a
// whole line gets no other.
func (v volume) findRoom() (segment int, size int64, err error) {
	list, err := v.listSegments()
	if err != nil || len(list) == 0 {
		return 1, 0, err
	}
	last := list[len(list)-1]
	info, err := os.Stat(v.segmentPath(last))
	if err != nil || !info.Mode().IsRegular() || info.Size() >= maxSegment || !endsWithLine(v.segmentPath(last)) {
		return last + 1, 0, nil
	}
	return last, info.Size(), nil
}

// checkIndexEnds makes sure that a line can be appended to the index: one that is missing, or whose first
// or last line is not whole, is made again.
func (v volume) checkIndexEnds() error {
	f, err := openFile(v.indexPath())
	if err == nil {
		start := make([]byte, 64)
		n, _ := f.ReadAt(start, 0)
		f.Close()
		var head header
		line, _, whole := bytes.Cut(start[:n], []byte("\n"))
		if whole && json.Unmarshal(line, &head) == nil && head.Version == formatVersion && endsWithLine(v.indexPath()) {
			return nil
		}
		if head.Version > formatVersion {
			return damaged(v.indexPath(), errNewer)
		}
		err = damaged(v.indexPath(), errors.New("a line of it is not whole"))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		if err := v.book.setAside(v.indexPath(), errors.Unwrap(err)); err != nil {
			return err
		}
	}
	_, err = v.rebuildIndex()
	return err
}

// endsWithLine reports whether a file is empty or its last line has its end.
func endsWithLine(path string) bool {
	f, err := openFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err == nil
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] == '\n'
}

// appendTo appends to a file, which is made where it is missing.
func appendTo(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// rebuildIndex makes the index from the records. A file of records that is damaged is put aside, and its
// good lines are kept in a new one. It must be called with the volume's lock held.
func (v volume) rebuildIndex() (map[string]entry, error) {
	list, err := v.listSegments()
	if err != nil {
		return nil, err
	}
	known := map[string]entry{}
	var index bytes.Buffer
	index.WriteString(`{"v":` + strconv.Itoa(formatVersion) + "}\n")
	for _, n := range list {
		entries, err := v.scanSegment(n)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if known[e.ID].Events > e.Events {
				continue
			}
			known[e.ID] = e
			line, err := json.Marshal(e)
			if err != nil {
				return nil, err
			}
			index.Write(append(line, '\n'))
		}
	}
	if err := durable.MakeDirs(v.dir); err != nil {
		return nil, err
	}
	return known, durable.ReplaceFile(v.indexPath(), index.Bytes())
}
