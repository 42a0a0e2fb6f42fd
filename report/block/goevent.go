package block

import (
	"bytes"
	"unicode/utf8"
)

// A GoEvent is an event of `go test -json` or `go build -json`. Its fields are valid until the
// line that it was read from changes.
type GoEvent struct {
	Action  []byte
	Package []byte
	Test    []byte
	Output  []byte
}

// ReadGoEvent reads an event, and reports whether the line is one. These outputs are long and
// their form is fixed, so it does without a general decoder.
func ReadGoEvent(p []byte) (e GoEvent, ok bool) {
	if len(p) < 13 || p[0] != '{' || p[len(p)-1] != '}' || !hasAnyPrefix(p, `{"Time":"`, `{"Action":"`, `{"ImportPath":"`) {
		return e, false
	}
	for rest := p[1:]; len(rest) > 1 && rest[0] == '"'; {
		key, after, ok := cutString(rest)
		if !ok || len(after) < 2 || after[0] != ':' {
			return e, false
		}
		rest = after[1:]
		if rest[0] != '"' {
			i := bytes.IndexAny(rest, ",}")
			rest = bytes.TrimPrefix(rest[i:], []byte(","))
			continue
		}
		value, after, ok := cutString(rest)
		if !ok {
			return e, false
		}
		switch string(key) {
		case "Action":
			e.Action = value
		case "Package":
			e.Package = value
		case "Test":
			e.Test = unescapeString(value)
		case "Output":
			e.Output = unescapeString(value)
		}
		rest = bytes.TrimPrefix(after, []byte(","))
	}
	return e, e.Action != nil
}

// cutString returns the inside of the JSON string that p begins with, and what follows it.
func cutString(p []byte) (inside, rest []byte, ok bool) {
	for from := 1; ; {
		i := bytes.IndexByte(p[from:], '"')
		if i < 0 {
			return nil, nil, false
		}
		i += from
		slashes := 0
		for p[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return p[1:i], p[i+1:], true
		}
		from = i + 1
	}
}

// unescapeString returns the text of the inside of a JSON string.
func unescapeString(p []byte) []byte {
	i := bytes.IndexByte(p, '\\')
	if i < 0 {
		return p
	}
	out := make([]byte, 0, len(p))
	for ; i >= 0 && i+1 < len(p); i = bytes.IndexByte(p, '\\') {
		out = append(out, p[:i]...)
		n := 2
		switch c := p[i+1]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r', 'b', 'f':
		case 'u':
			if r, ok := readHex(p[i+2:]); ok {
				n = 6
				if r >= 0x20 && r != 0x7f || r == '\n' || r == '\t' {
					out = utf8.AppendRune(out, r)
				}
			}
		default:
			out = append(out, c)
		}
		p = p[i+n:]
	}
	return append(out, p...)
}

func readHex(p []byte) (rune, bool) {
	if len(p) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range p[:4] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
