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
	var fields map[string]json.RawMessage
	err := json.Unmarshal(data, &fields)
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		r.notes = append(r.notes, r.explainSyntaxError(data, bad))
	} else if err != nil || fields == nil {
		r.notes = append(r.notes, fmt.Sprintf("%s:1:1: is %s: want an object; its hooks are not read", r.path, showValue(bytes.TrimSpace(data))))
	}
	return fields
}

// trimByteOrderMark removes the mark that some editors begin a file with.
func trimByteOrderMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }

// explainSyntaxError returns the note about a file that is not JSON.
func (r *reader) explainSyntaxError(data []byte, bad *json.SyntaxError) string {
	at := min(max(int(bad.Offset)-1, 0), len(data)) // the offset is after the byte that it stumbled over
	// json.Unmarshal has no error of its own for data that ends too early; a decoder of a stream has.
	var value json.RawMessage
	if errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&value), io.ErrUnexpectedEOF) {
		at = len(data)
	}
	before := data[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%s:%d:%d: is not JSON: %v; its hooks are not read", r.path, line, column, bad)
}
