// Package jsonlines splits streams into lines of JSON of any size, in bounded memory. It imports the
// standard library only, so that every package can use it.
package jsonlines

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// How much is kept of one JSON line. Agents put whole files and whole outputs into one string of a
// line; a reader of the line needs no more than its beginning and its end.
const (
	stringEnds = 256 << 10 // of a string, at each end
	stringFew  = 1 << 10   // the same, once the line is longer than lineMuch
	lineMuch   = 1 << 20
	lineMost   = 4 << 20
	lineIdle   = 1 << 20 // a buffer that has grown beyond this is not kept for the next line
)

// A Splitter splits a stream into lines of JSON, of any size in bounded memory: a string that is too
// long loses its middle, and has a note in its place. The line stays valid JSON of the shape that
// it had.
type Splitter struct {
	each      func(line []byte)
	oversized func(head []byte, size int64)

	line []byte
	size int64 // of the line as it came
	full bool  // it is too large, whatever follows

	// What follows is in use once a line is long enough to have a string that is too long.
	careful bool
	quoted  bool
	escaped bool  // the last byte was a backslash
	start   int   // where in line the string's content begins
	ends    int   // how much is kept of it at each end
	cut     int   // where in line its end begins; 0: nothing was dropped yet
	dropped int64 // bytes of it that were dropped
}

// New returns a writer that calls each with every line that is not blank, without its line
// end; the line is valid only until each returns. over, which may be nil, gets the beginning of a
// line that is too large even without the middle of its long strings.
func New(each func(line []byte), over func(head []byte, size int64)) *Splitter {
	return &Splitter{each: each, oversized: over}
}

// Write takes a piece of the stream. It never fails.
func (l *Splitter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.appendPart(p)
			return n, nil
		}
		l.appendPart(p[:end])
		l.endLine()
		p = p[end+1:]
	}
}

// Close takes a last line that has no line end.
func (l *Splitter) Close() error {
	l.endLine()
	return nil
}

// appendPart adds a part of a line, and begins to look for long strings once the line could hold
// one.
func (l *Splitter) appendPart(p []byte) {
	l.size += int64(len(p))
	if !l.careful && len(l.line)+len(p) <= stringEnds {
		l.line = append(l.line, p...)
		return
	}
	if !l.careful {
		l.careful = true
		seen := l.line
		l.line = make([]byte, 0, 2*stringEnds)
		l.appendShortened(seen)
	}
	l.appendShortened(p)
}

// appendShortened adds what is outside of strings as it is, and of every string its two ends.
func (l *Splitter) appendShortened(p []byte) {
	for len(p) > 0 && !l.full {
		switch {
		case l.escaped:
			l.escaped = false
			l.appendInString(p[:1])
			p = p[1:]
		case l.quoted:
			n := indexAnyByte(p, `"\`)
			l.appendInString(p[:n])
			if p = p[n:]; len(p) > 0 && p[0] == '"' {
				l.endString()
				l.appendOutside(p[:1])
				p = p[1:]
			} else if n = min(2, len(p)); n > 0 {
				l.escaped = n < 2
				l.appendInString(p[:n])
				p = p[n:]
			}
		default:
			n := min(indexAnyByte(p, `"`)+1, len(p))
			l.appendOutside(p[:n])
			if p[n-1] == '"' {
				l.beginString()
			}
			p = p[n:]
		}
	}
}

// indexAnyByte returns how much of p comes before any of the characters. It looks for one character
// after the other, which is by far the fastest, and does so in pieces, so that a character that is
// near is not looked for at the far end.
func indexAnyByte(p []byte, chars string) int {
	const piece = 256
	for at := 0; at < len(p); at += piece {
		part := p[at:min(at+piece, len(p))]
		n := len(part)
		for i := range len(chars) {
			if near := bytes.IndexByte(part[:n], chars[i]); near >= 0 {
				n = near
			}
		}
		if n < len(part) {
			return at + n
		}
	}
	return len(p)
}

// appendOutside adds bytes that are outside of strings, as long as the line has room.
func (l *Splitter) appendOutside(p []byte) {
	room := lineMost - len(l.line)
	l.full = len(p) > room
	l.line = append(l.line, p[:max(0, min(room, len(p)))]...)
}

// beginString begins a string.
func (l *Splitter) beginString() {
	l.quoted, l.start, l.ends, l.cut, l.dropped = true, len(l.line), stringEnds, 0, 0
	if len(l.line) > lineMuch {
		l.ends = stringFew
	}
}

// appendInString adds content of a string, in pieces no larger than what is kept of it.
func (l *Splitter) appendInString(p []byte) {
	for len(p) > 0 {
		n := min(l.ends, len(p))
		l.line = append(l.line, p[:n]...)
		p = p[n:]
		if len(l.line)-l.start > 4*l.ends {
			l.dropMiddle()
		}
	}
}

// dropMiddle drops all but the two ends of the string so far.
func (l *Splitter) dropMiddle() {
	if l.cut == 0 {
		l.cut = l.start + cutBoundary(l.line[l.start:], l.ends)
	}
	end := l.line[l.cut:]
	if n := cutBoundary(end, len(end)-l.ends); n > 0 {
		l.dropped += int64(n)
		l.line = slices.Delete(l.line, l.cut, l.cut+n)
	}
}

// endString ends a string. One that is not much longer than its two ends stays whole.
func (l *Splitter) endString() {
	if l.cut > 0 {
		l.dropMiddle()
		note := fmt.Sprintf(`\n[… %d bytes left out here; the agent's own transcript may have them …]\n`, l.dropped)
		l.line = slices.Insert(l.line, l.cut, []byte(note)...)
	}
	l.quoted, l.escaped = false, false
}

// cutBoundary returns the first place from at on where a string's content can be cut: not within an
// escape, not between two escapes that are one character, and not within a character. The content
// must begin at such a place.
func cutBoundary(content []byte, at int) int {
	i := 0
	for i < at {
		n := bytes.IndexByte(content[i:at], '\\')
		if n < 0 {
			i = at
			break
		}
		i += n + escapeSize(content[i+n:])
	}
	for i < len(content) && !utf8.RuneStart(content[i]) {
		i++
	}
	return min(i, len(content))
}

// escapeSize returns the size of the escape that p begins with, together with the other half of a
// surrogate pair.
func escapeSize(p []byte) int {
	const one = len(`\ud83d`)
	switch {
	case len(p) < 2 || p[1] != 'u':
		return 2
	case len(p) >= 2*one && isSurrogate(p[:one], "89ab") && isSurrogate(p[one:2*one], "cdef"):
		return 2 * one
	}
	return one
}

// isSurrogate reports whether an escape is half of a surrogate pair: the first or the second half,
// by the digit that follows its d.
func isSurrogate(p []byte, digits string) bool {
	return p[0] == '\\' && p[1] == 'u' && p[2]|0x20 == 'd' && strings.IndexByte(digits, p[3]|0x20) >= 0
}

// endLine hands the line over and makes ready for the next.
func (l *Splitter) endLine() {
	if l.quoted { // no JSON allows that, and not everything that is printed is JSON
		l.endString()
	}
	switch line := bytes.TrimRight(l.line, "\r"); {
	case l.full:
		if l.oversized != nil {
			l.oversized(l.line[:stringEnds], l.size)
		}
	case len(bytes.TrimSpace(line)) > 0:
		l.each(line)
	}
	line := l.line[:0]
	if cap(line) > lineIdle {
		line = nil
	}
	*l = Splitter{each: l.each, oversized: l.oversized, line: line}
}
