package block

import "bytes"

// A placed is a line that begins with a place.
type placed struct {
	file   []byte
	line   int
	column bool   // it has a column
	rest   []byte // what follows, without separators
}

// readPlace reads the forms in which tools write a place before a message:
// `path:3:7: text`, `path:3: text`, `path:3:7 - text`, `path(3,7): text`, `path:[3,7] text`,
// `path: line 3, col 7, text`, `path:3:7-9: text`.
func readPlace(p []byte) (placed, bool) {
	limit := min(len(p), 400)
	for i := 1; i < limit; i++ {
		switch p[i] {
		case ' ', '\t', '"', '\'', '`', '<', '>', '=', ',', ';':
			return placed{}, false
		case '(':
			if i+1 < limit && isDigit(p[i+1]) {
				return readParenPlace(p, i)
			}
			if !bytes.ContainsAny(p[i:limit], ")") || p[0] != '/' && p[0] != '.' && !bytes.Contains(p[:i], []byte("/")) {
				return placed{}, false
			}
		case ':':
			if i+1 >= limit {
				return placed{}, false
			}
			if isDigit(p[i+1]) {
				return readColonPlace(p, i)
			}
			if p[i+1] == '[' && i+2 < limit && isDigit(p[i+2]) {
				return readBracketPlace(p, i)
			}
			if hasPrefix(p[i:], ": line ") {
				return readWordPlace(p, i)
			}
			if p[i+1] == ' ' {
				return placed{}, false
			}
		}
	}
	return placed{}, false
}

func readColonPlace(p []byte, i int) (placed, bool) {
	n := countDigits(p[i+1:])
	at := placed{file: p[:i], line: readNumber(p[i+1:])}
	if !isFile(p[:i]) || n > 7 {
		return at, false
	}
	rest := p[i+1+n:]
	if len(rest) > 1 && (rest[0] == ':' || rest[0] == '.') && isDigit(rest[1]) {
		at.column = true
		rest = rest[1+countDigits(rest[1:]):]
		for len(rest) > 1 && (rest[0] == '-' || rest[0] == ':' || rest[0] == '.') && isDigit(rest[1]) {
			rest = rest[1+countDigits(rest[1:]):]
		}
	}
	if len(rest) > 0 && rest[0] != ':' && rest[0] != ' ' && rest[0] != '\t' && rest[0] != ',' {
		return at, false
	}
	at.rest = trimSeparators(rest)
	return at, true
}

func readParenPlace(p []byte, i int) (placed, bool) {
	j := bytes.IndexByte(p[i:min(len(p), i+40)], ')')
	if j < 0 || !isFile(p[:i]) {
		return placed{}, false
	}
	inner := p[i+1 : i+j]
	for _, c := range inner {
		if !isDigit(c) && c != ',' && c != ' ' && c != ':' && c != '-' && c != '.' {
			return placed{}, false
		}
	}
	rest := p[i+j+1:]
	if len(rest) == 0 || rest[0] != ':' && rest[0] != ' ' {
		return placed{}, false
	}
	return placed{file: p[:i], line: readNumber(inner), column: bytes.IndexByte(inner, ',') > 0, rest: trimSeparators(rest)}, true
}

func readBracketPlace(p []byte, i int) (placed, bool) {
	j := bytes.IndexByte(p[i:min(len(p), i+40)], ']')
	if j < 0 || !isFile(p[:i]) {
		return placed{}, false
	}
	return placed{file: p[:i], line: readNumber(p[i+2:]), column: true, rest: trimSeparators(p[i+j+1:])}, true
}

func readWordPlace(p []byte, i int) (placed, bool) {
	rest := p[i+len(": line "):]
	n := countDigits(rest)
	if n == 0 || !isFile(p[:i]) {
		return placed{}, false
	}
	at := placed{file: p[:i], line: readNumber(rest)}
	rest = rest[n:]
	if hasPrefix(rest, ", col ") {
		at.column = true
		rest = rest[len(", col "):]
		rest = bytes.TrimLeft(rest[countDigits(rest):], ",")
	}
	at.rest = trimSeparators(rest)
	return at, true
}

func trimSeparators(p []byte) []byte { return bytes.TrimLeft(p, ": -\t") }

// isFile reports whether a text may be the path of a file: neither a time of day nor a host.
func isFile(p []byte) bool {
	if len(p) == 0 || bytes.Contains(p, []byte("://")) && !hasPrefix(p, "file://") {
		return false
	}
	letter, dot := false, false
	for i, c := range p {
		letter = letter || isLetter(c) || c >= 0x80
		dot = dot || c == '/' || c == '\\' || c == '.' && i < len(p)-1
	}
	return letter && (dot || isUpper(p[0]) && len(p) > 4 || hasSuffix(p, "file"))
}
