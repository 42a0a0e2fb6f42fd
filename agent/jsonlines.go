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
	for _, c := range p {
		switch {
		case !l.quoted:
			l.quoted = c == '"'
			l.length, l.dropped = 0, 0
			l.keep(c)
		case l.digits > 0:
			l.digits--
			l.inside(c, false)
		case l.escaped:
			l.escaped = false
			if c == 'u' {
				l.digits = 4
			}
			l.inside(c, false)
		case c == '"':
			l.quoted = false
			if l.dropped > 0 {
				l.line = fmt.Appendf(l.line, " [%d bytes left out]", l.dropped)
			}
			l.keep(c)
		default:
			l.escaped = c == '\\'
			l.inside(c, utf8.RuneStart(c))
		}
	}
}

// inside takes a byte of a string. What is left out begins with a whole character.
func (l *JSONLines) inside(c byte, start bool) {
	l.length++
	if l.dropped > 0 || l.length > stringKept && start {
		l.dropped++
		return
	}
	l.keep(c)
}

func (l *JSONLines) keep(c byte) {
	if len(l.line) <= lineMost {
		l.line = append(l.line, c)
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
