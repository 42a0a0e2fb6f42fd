// Package jsonsearch finds JSON in the text that a program or a model printed around it.
package jsonsearch

import (
	"bytes"
	"encoding/json"
	"errors"
)

// searchBudget bounds the bytes that are read in vain: an output made to be hard to read must not
// hold up the session.
const searchBudget = 32 << 20

// ErrGaveUp means that a text is too hard to read.
var ErrGaveUp = errors.New("too much of it looks like JSON and is not")

// A Span is where in a text a JSON object is.
type Span struct {
	Start, End int
}

// LastObject finds the last JSON object of a text that is not a part of another, wherever it
// is. The error is ErrGaveUp.
func LastObject(text []byte) (last Span, found bool, err error) {
	budget := searchBudget
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '{')
		if next < 0 {
			return last, found, nil
		}
		at += next
		end, read := ClosingBrace(text[at:])
		if end > 0 && json.Valid(text[at:at+end]) {
			last, found = Span{Start: at, End: at + end}, true
			at += end
			continue
		}
		at++
		if budget -= read; budget < 0 {
			return last, found, ErrGaveUp
		}
	}
}

// maxDepth is how deep a decoder goes.
const maxDepth = 10_000

// ClosingBrace returns the end of the brace that the text begins with, or 0 if it is not
// closed. It knows strings and brackets only, which is quick, and leaves the rest to a decoder.
func ClosingBrace(text []byte) (end, read int) {
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
