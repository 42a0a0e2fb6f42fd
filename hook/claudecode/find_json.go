package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// searchBudget bounds the bytes that are read in vain: an output made to be hard to read must not
// hold up the session.
const searchBudget = 32 << 20

var errUnreadable = errors.New("too much of it looks like JSON and is not")

// A jsonSpan is where in a text a JSON object is.
type jsonSpan struct {
	start, end int
}

// findLastObject finds the last JSON object of a text that is not a part of another, wherever it
// is. The error means that it gave up.
func findLastObject(text []byte) (last jsonSpan, found bool, err error) {
	budget := searchBudget
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '{')
		if next < 0 {
			return last, found, nil
		}
		at += next
		end, read := findClosingBrace(text[at:])
		if end > 0 && json.Valid(text[at:at+end]) {
			last, found = jsonSpan{start: at, end: at + end}, true
			at += end
			continue
		}
		at++
		if budget -= read; budget < 0 {
			return last, found, errUnreadable
		}
	}
}

// explainUnreadable returns why what a hook printed hides what it decides, or "": it begins as JSON and
// is none, or it ends in the middle of an answer.
func explainUnreadable(printed []byte) string {
	text := bytes.TrimSpace(printed)
	if bytes.HasPrefix(text, []byte("{")) {
		var first json.RawMessage
		err := json.NewDecoder(bytes.NewReader(text)).Decode(&first)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return "what it printed ends in the middle of its JSON"
		}
		if err != nil {
			return "what it printed begins with { and is not JSON"
		}
	}
	if endsInAnswer(text) {
		return "what it printed ends in the middle of its JSON"
	}
	return ""
}

// endsInAnswer reports whether a text ends before a JSON object does that begins a line of it and has a
// field that decides.
func endsInAnswer(text []byte) bool {
	for at := 0; at < len(text); {
		rest := text[at:]
		if bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("{")) {
			open := rest[bytes.IndexByte(rest, '{'):]
			end, read := findClosingBrace(open)
			if end == 0 && read == len(open) && (bytes.Contains(open, []byte(`"decision"`)) || bytes.Contains(open, []byte(`"continue"`))) {
				return true
			}
		}
		next := bytes.IndexByte(rest, '\n')
		if next < 0 {
			return false
		}
		at += next + 1
	}
	return false
}

// maxDepth is how deep a decoder goes.
const maxDepth = 10_000

// findClosingBrace returns the end of the brace that the text begins with, or 0 if it is not
// closed. It knows strings and brackets only, which is quick, and leaves the rest to a decoder.
func findClosingBrace(text []byte) (end, read int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case quoted && b < ' ': // no string continues over a line end
			return 0, i + 1
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth || b == '{' && !beginsObject(text[i+1:]) {
				return 0, i + 1
			}
		case b == '}' || b == ']':
			if depth--; depth == 0 {
				return i + 1, i + 1
			}
		}
	}
	return 0, len(text)
}

// beginsObject reports whether an object may continue so after its brace: with a name, or with its
// end.
func beginsObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '"' || text[0] == '}')
}
