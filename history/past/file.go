package past

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"mulligan/history"
	"mulligan/internal/durable"
	"mulligan/internal/regular"
)

// formatVersion is that of the files. It grows when an older mulligan would misunderstand a newer one's files.
const formatVersion = 1

// maxFile is the largest file that is read into memory. A file that another program put there may be of any size.
const maxFile = 1 << 30

// A header is the first line of a file.
type header struct {
	Version int `json:"v"`
}

// readRecords returns the records of a file, none if it does not exist. After a *damageError they are those that are
// left of it; the error is errNewer for a file that is not to be touched.
func readRecords(path string) ([]history.Session, error) {
	return readLines(path, func(r *history.Session) bool { return r.ID != "" && r.Events > 0 })
}

// readLines is readRecords for a type that has what is wanted of a record.
func readLines[T any](path string, isSound func(*T) bool) ([]T, error) {
	data, err := regular.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var records []T
	if err == nil {
		records, err = parseLines(data, isSound)
	}
	switch {
	case errors.Is(err, errNewer):
		return nil, fmt.Errorf("the history %s is not used: %w", path, err)
	case err != nil:
		return records, &damageError{path: path, err: err}
	}
	return records, nil
}

// parseLines returns the records that can be read, and an error if others cannot.
func parseLines[T any](data []byte, isSound func(*T) bool) ([]T, error) {
	first, rest, whole := bytes.Cut(data, []byte("\n"))
	var head header
	if err := json.Unmarshal(first, &head); !whole || err != nil || head.Version < 1 {
		return nil, errors.New("line 1 is damaged")
	}
	if head.Version > formatVersion {
		return nil, errNewer
	}
	var records []T
	var fault error
	number := 1
	for line := range bytes.Lines(rest) {
		number++
		var r T
		if err := json.Unmarshal(line, &r); err != nil || !isSound(&r) {
			fault = fmt.Errorf("line %d is damaged", number)
			continue
		}
		records = append(records, r)
	}
	return records, fault
}

// writeRecords replaces a file. It is flushed to the disk, its name is not: what a power cut takes is made again from
// the journal.
func writeRecords(path string, records []history.Session) error {
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	if err := lines.Encode(header{formatVersion}); err != nil {
		return err
	}
	for _, r := range records {
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	return durable.ReplaceFile(path, file.Bytes())
}
