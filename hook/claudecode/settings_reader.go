package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"mulligan"
	"mulligan/config"
)

// A reader gathers the hooks of a file, notes about it, and the mistakes that would make hooks go
// missing.
type reader struct {
	path     string
	data     []byte
	unit     time.Duration // of a timeout that is a number
	defaults func(event, kind string) time.Duration
	read     []mulligan.AgentHook
	notes    []string
	mistakes config.Mistakes
}

func newReader(path string, data []byte, unit time.Duration, defaults func(event, kind string) time.Duration) *reader {
	return &reader{path: path, data: trimByteOrderMark(data), unit: unit, defaults: defaults}
}

func (r *reader) addNote(place jsonPlace, format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf("%s: %s: %s", r.path, place, fmt.Sprintf(format, args...)))
}

// addMistake adds a mistake at a place of the file, which is JSON.
func (r *reader) addMistake(place jsonPlace, format string, args ...any) {
	m := r.newMistake(place.offset(r.data), fmt.Sprintf(format, args...))
	m.Path = place.String()
	r.mistakes = append(r.mistakes, m)
}

// addWrongShape adds a mistake where the hooks of an event should be. Of an event that is not known
// here nothing is, so it is a note there.
func (r *reader) addWrongShape(event string, place jsonPlace, format string, args ...any) {
	if Has(event) {
		r.addMistake(place, format, args...)
		return
	}
	r.addNote(place, format+"; it is passed over", args...)
}

// newMistake returns a mistake at an offset of the file.
func (r *reader) newMistake(at int, message string) config.Mistake {
	before := r.data[:at]
	begin := bytes.LastIndexByte(before, '\n') + 1
	line, _, _ := bytes.Cut(r.data[begin:], []byte("\n"))
	return config.Mistake{
		File: r.path, Line: 1 + bytes.Count(before, []byte("\n")), Col: 1 + utf8.RuneCount(before[begin:]),
		Message: message, Source: string(bytes.TrimRight(line, "\r")),
		Hint: "its hooks would be missing: correct the file, or take it out of agent_hooks_from",
	}
}

// readFile returns the fields of the whole file, or nil, with a mistake, if it is not an object.
func (r *reader) readFile() map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(r.data, &fields)
	bad, isSyntax := errors.AsType[*json.SyntaxError](err)
	at, message := 0, ""
	switch {
	case len(bytes.TrimSpace(r.data)) == 0:
		message = "is empty: want a JSON object; {} is one without hooks"
	case isSyntax:
		at, message = r.syntaxErrorOffset(bad), fmt.Sprintf("is not JSON: %v", bad)
	case err != nil || fields == nil:
		message = fmt.Sprintf("is %s: want an object", showValue(bytes.TrimSpace(r.data)))
	default:
		return fields
	}
	r.mistakes = append(r.mistakes, r.newMistake(at, message))
	return nil
}

// syntaxErrorOffset returns where a file stops being JSON.
func (r *reader) syntaxErrorOffset(bad *json.SyntaxError) int {
	// json.Unmarshal has no error of its own for data that ends too early; a decoder of a stream has.
	var value json.RawMessage
	if errors.Is(json.NewDecoder(bytes.NewReader(r.data)).Decode(&value), io.ErrUnexpectedEOF) {
		return len(r.data)
	}
	return min(max(int(bad.Offset)-1, 0), len(r.data)) // the offset is after the byte that it stumbled over
}

// trimByteOrderMark removes the mark that some editors begin a file with.
func trimByteOrderMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }
