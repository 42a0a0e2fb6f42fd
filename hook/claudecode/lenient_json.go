package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A member is a field of an object, as it is in the file.
type member struct {
	name  string
	value json.RawMessage
}

// readMembers returns the fields of an object in the file's order. Of a name that is there twice
// the last value counts, at the first place.
func readMembers(raw json.RawMessage) ([]member, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	var all []member
	place := map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, false
		}
		if i, seen := place[name]; seen {
			all[i].value = value
			continue
		}
		place[name] = len(all)
		all = append(all, member{name: name, value: value})
	}
	return all, true
}

// readFile returns the fields of a whole file, or nil, with a note, if it is not an object.
func (r *reader) readFile(data []byte) map[string]json.RawMessage {
	data = trimByteOrderMark(data)
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		r.notes = append(r.notes, r.explainSyntaxError(data, err))
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		r.notes = append(r.notes, fmt.Sprintf("%s:1:1: is %s: want an object; its hooks are not read", r.path, showValue(bytes.TrimSpace(raw))))
		return nil
	}
	return fields
}

// trimByteOrderMark removes the mark that some editors begin a file with.
func trimByteOrderMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }

// isTruncated reports whether data is the beginning of a JSON value. json.Unmarshal has no error of
// its own for that; a decoder of a stream has.
func isTruncated(data []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&value), io.ErrUnexpectedEOF)
}

// explainSyntaxError returns the note about a file that is not JSON.
func (r *reader) explainSyntaxError(data []byte, err error) string {
	at := len(data)
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok && !isTruncated(data) {
		at = min(max(int(bad.Offset)-1, 0), len(data)) // the offset is after the byte that it stumbled over
	}
	before := data[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%s:%d:%d: is not JSON: %v; its hooks are not read", r.path, line, column, err)
}
