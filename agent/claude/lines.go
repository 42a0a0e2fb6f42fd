package claude

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// What is kept of a line. A tool's result, a file that is written or a last message may have
// any size; what a turn is judged by is small, and stands anywhere in its line.
const (
	stringEnds = 256 << 10 // of a string, at its beginning and at its end
	stringFew  = 1 << 10   // the same, once a line has lineMuch
	lineMuch   = 1 << 20
	lineMost   = 4 << 20
)

// lines cuts a stream into lines, in bounded memory: long strings of a line lose their
// middle, which leaves JSON of the same shape.
type lines struct {
	// take gets what was kept of a line, which is valid until it returns; nil where even that
	// would be too much.
	take func(text []byte)

	line    []byte
	over    bool // more than can be kept at all
	inside  bool // a string
	escaped bool // the next byte of the string follows a backslash
	start   int  // where in line the string's content begins
	most    int  // of the string, at each end
	tail    []byte
	content int64 // bytes of the string so far
}

func newLines(take func([]byte)) *lines { return &lines{take: take} }

// Write never fails.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if l.inside {
			p = l.string(p)
		} else {
			p = l.outside(p)
		}
	}
	return n, nil
}

// Close gives the last line, which may be half of one.
func (l *lines) Close() {
	if len(l.line) > 0 || l.over {
		l.end()
	}
}

// outside takes what is not in a string, up to one or to the line's end.
func (l *lines) outside(p []byte) (rest []byte) {
	at := bytes.IndexAny(p, "\"\n")
	if at < 0 {
		l.keep(p)
		return nil
	}
	if p[at] == '\n' {
		l.keep(p[:at])
		l.end()
		return p[at+1:]
	}
	l.keep(p[:at+1])
	l.inside, l.start, l.most = true, len(l.line), stringEnds
	if len(l.line) > lineMuch {
		l.most = stringFew
	}
	return p[at+1:]
}

// string takes what is in a string, up to its end. A line's end is not allowed there, and
// ends the line all the same: not everything that is printed is JSON.
func (l *lines) string(p []byte) (rest []byte) {
	if l.escaped && p[0] != '\n' {
		l.escaped = false
		l.put(p[:1])
		return p[1:]
	}
	at := bytes.IndexAny(p, "\"\\\n")
	if at < 0 {
		l.put(p)
		return nil
	}
	switch p[at] {
	case '\\':
		l.put(p[:at+1])
		l.escaped = true
	case '"':
		l.put(p[:at])
		l.close()
		l.keep(p[at : at+1])
	case '\n':
		l.put(p[:at])
		l.end()
	}
	return p[at+1:]
}

func (l *lines) keep(p []byte) {
	if l.over || len(l.line)+len(p) > lineMost {
		l.over = true
		return
	}
	l.line = append(l.line, p...)
}

// put takes content of a string.
func (l *lines) put(p []byte) {
	l.content += int64(len(p))
	if room := l.start + l.most - len(l.line); room > 0 && len(l.tail) == 0 {
		n := min(room, len(p))
		l.keep(p[:n])
		p = p[n:]
	}
	l.tail = append(l.tail, p[max(0, len(p)-l.most):]...)
	if len(l.tail) > 2*l.most {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-l.most:]...)
	}
}

// close ends the string, and puts its end behind what was kept of its beginning.
func (l *lines) close() {
	head, tail := l.line[l.start:], l.tail
	if int64(len(head)+len(tail)) < l.content {
		head, tail = head[:wholeTo(head)], tail[wholeFrom(tail):]
		l.line = l.line[:l.start+len(head)]
		l.keep([]byte(cutMark + strconv.FormatInt(l.content-int64(len(head)+len(tail)), 10) + cutMark))
	}
	l.keep(tail)
	l.inside, l.escaped, l.tail, l.content = false, false, l.tail[:0], 0
}

func (l *lines) end() {
	if l.inside {
		l.close()
	}
	if l.over {
		l.take(nil)
	} else {
		l.take(l.line)
	}
	l.line, l.over = l.line[:0], false
}

// loose says that a byte is neither within an escape sequence nor within a character, wherever
// in a JSON string it stands.
func loose(b byte) bool {
	return b >= 0xc0 || b < 0x80 && !strings.ContainsRune(`\"/bfnrtu0123456789abcdefABCDEF`, rune(b))
}

// wholeTo is where the beginning of a string can be cut.
func wholeTo(p []byte) int {
	for i := len(p) - 1; i > 0; i-- {
		if loose(p[i]) {
			return i
		}
	}
	return 0
}

// wholeFrom is from where the end of a string can be kept.
func wholeFrom(p []byte) int {
	for i, b := range p {
		if loose(b) {
			return i
		}
	}
	return len(p)
}

// cutMark stands around the number of bytes that were left out of a string. It is no
// character, so that no text has it.
const cutMark = "\ufdd0"

// halves gives a string that lost its middle as what is left of it, and what was lost.
func halves(text string) (head, tail string, left int64) {
	head, rest, _ := strings.Cut(text, cutMark)
	number, tail, ok := strings.Cut(rest, cutMark)
	left, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return text, "", 0
	}
	return head, tail, left
}

// whole is a string as people read it, with a word about what it lost.
func whole(text string) string {
	head, tail, left := halves(text)
	if left == 0 {
		return text
	}
	return fmt.Sprintf("%s\n[… %d bytes left out; the program's own transcript has them …]\n%s", head, left, tail)
}
