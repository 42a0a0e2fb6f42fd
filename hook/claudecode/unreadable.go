package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"mulligan/internal/jsonsearch"
)

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
			end, read := jsonsearch.ClosingBrace(open)
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
