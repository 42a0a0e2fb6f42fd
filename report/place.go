package report

import "bytes"

// cutPlace reads `path:line[:col]: rest` at the start of a line. The path has no
// blanks, and a letter, so that a time of day is no place.
func cutPlace(line []byte) (place, rest []byte, ok bool) {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], ':')
		if i < 0 {
			return nil, nil, false
		}
		i += from
		n := countDigits(line[i+1:])
		if n == 0 {
			if bytes.ContainsAny(line[:i], " \t\"'`(") {
				return nil, nil, false
			}
			from = i + 1
			continue
		}
		if !isPath(line[:i]) {
			return nil, nil, false
		}
		end := i + 1 + n
		if end < len(line) && line[end] == ':' {
			if n := countDigits(line[end+1:]); n > 0 {
				end += 1 + n
			}
		}
		return line[:end], bytes.TrimPrefix(line[end:], []byte(":")), true
	}
}

func countDigits(p []byte) int {
	n := 0
	for n < len(p) && p[n] >= '0' && p[n] <= '9' {
		n++
	}
	return n
}

func isPath(p []byte) bool {
	isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 }
	return !bytes.ContainsAny(p, " \t\"'()`") && bytes.ContainsFunc(p, isLetter)
}

// placeFile returns a place without its line and column.
func placeFile(place []byte) []byte {
	if i := bytes.IndexByte(place[min(2, len(place)):], ':'); i >= 0 {
		return place[:i+min(2, len(place))]
	}
	return place
}

func countIndent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
