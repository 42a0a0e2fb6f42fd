package block

import (
	"bytes"
	"strconv"
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

// unescapeString returns the text of the inside of a JSON string. Go's tools escape what Go's own
// literals do.
func unescapeString(p []byte) []byte {
	if bytes.IndexByte(p, '\\') < 0 {
		return p
	}
	s, err := strconv.Unquote(`"` + string(p) + `"`)
	if err != nil {
		return p
	}
	return []byte(dropControls(s))
}
