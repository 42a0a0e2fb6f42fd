package agent

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// What is kept of one JSON line. Agents put whole files and whole outputs into a string of
// one line; nobody who reads the line needs more of it than this.
const (
	stringKept = 256 << 10
	lineMost   = 4 << 20
	lineIdle   = 1 << 20 // a buffer that has grown beyond this is not kept for the next line
)

// JSONLines takes a stream apart into lines of JSON, of any size in bounded memory: what a
// string has beyond stringKept is left out, and the string says so.
type JSONLines struct {
	each func(line []byte)
	over func(head []byte, size int64)

	line []byte
	size int64 // of the line as it came

	// What follows is in use once a line is long enough to have a string that is too long.
	careful bool
	quoted  bool
	escaped bool // the last byte was a backslash
	digits  int  // that still belong to a \u
	length  int  // of the string so far
	dropped int  // bytes of the string that were left out
}

// NewJSONLines calls each with every line that is not blank, without its end; the line is
// only good until each returns. over, which may be nil, gets the beginning of a line that is
// too large even without its long strings.
func NewJSONLines(each func(line []byte), over func(head []byte, size int64)) *JSONLines {
	return &JSONLines{each: each, over: over}
}

// Write never fails.
func (l *JSONLines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.take(p)
			return n, nil
		}
		l.take(p[:end])
		l.finish()
		p = p[end+1:]
	}
}

// Close takes a last line that has no end.
func (l *JSONLines) Close() error {
	l.finish()
	return nil
}

func (l *JSONLines) take(p []byte) {
	l.size += int64(len(p))
	if !l.careful && len(l.line)+len(p) <= stringKept {
		l.line = append(l.line, p...)
		return
	}
	if !l.careful {
		l.careful = true
		seen := l.line
		l.line = make([]byte, 0, 2*stringKept)
		l.shorten(seen)
	}
	l.shorten(p)
}

// shorten keeps what is no string, and of every string its beginning.
func (l *JSONLines) shorten(p []byte) {
	for len(p) > 0 {
		n := 0
		switch {
		case !l.quoted:
			n = until(p, `"`)
			l.keep(p[:n]...)
		case !l.escaped && l.digits == 0:
			n = until(p, `"\\`)
			l.inside(p[:n])
		}
		if p = p[n:]; len(p) > 0 {
			l.special(p[0])
			p = p[1:]
		}
	}
}

// until is how much of p comes before any of the characters.
func until(p []byte, chars string) int {
	if n := bytes.IndexAny(p, chars); n >= 0 {
		return n
	}
	return len(p)
}

// special takes a quote, or a byte of an escape.
func (l *JSONLines) special(c byte) {
	switch {
	case !l.quoted:
		l.quoted, l.length, l.dropped = true, 0, 0
		l.keep(c)
	case l.digits > 0:
		l.digits--
		l.part(c)
	case l.escaped:
		l.escaped = false
		if c == 'u' {
			l.digits = 4
		}
		l.part(c)
	case c == '"':
		l.quoted = false
		if l.dropped > 0 {
			l.keep(fmt.Appendf(nil, " [%d bytes left out]", l.dropped)...)
		}
		l.keep(c)
	default:
		l.escaped = true
		if l.dropped == 0 && l.length < stringKept {
			l.length++
			l.keep(c)
			return
		}
		l.dropped++
	}
}

// part is within an escape, which is kept or left out as a whole.
func (l *JSONLines) part(c byte) {
	if l.dropped > 0 {
		l.dropped++
		return
	}
	l.length++
	l.keep(c)
}

// inside takes plain bytes of a string. What is left out begins with a whole character.
func (l *JSONLines) inside(p []byte) {
	if l.dropped == 0 {
		n := min(max(stringKept-l.length, 0), len(p))
		for n < len(p) && !utf8.RuneStart(p[n]) {
			n++
		}
		l.length += n
		l.keep(p[:n]...)
		p = p[n:]
	}
	l.dropped += len(p)
}

func (l *JSONLines) keep(p ...byte) {
	if room := lineMost + 1 - len(l.line); room > 0 {
		l.line = append(l.line, p[:min(room, len(p))]...)
	}
}

func (l *JSONLines) finish() {
	switch {
	case len(l.line) > lineMost:
		if l.over != nil {
			l.over(l.line[:stringKept], l.size)
		}
	case len(bytes.TrimSpace(l.line)) > 0:
		l.each(bytes.TrimSpace(l.line))
	}
	line := l.line[:0]
	if cap(line) > lineIdle {
		line = nil
	}
	*l = JSONLines{each: l.each, over: l.over, line: line}
}
