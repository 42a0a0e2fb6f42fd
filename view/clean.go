package view

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLine = 500 // characters of a line of output that a view keeps
	maxWord = 300 // characters of what is shown on one line among other things
	tabStop = 4
)

// Text makes text from outside fit to be shown: escape sequences, control characters
// and characters that reorder or hide text are taken out, a carriage return writes
// over its line as on a terminal, tabs are spaces. Line breaks stay.
func Text(s string) string {
	var lines []string
	l := liner{max: maxLine, done: func(line string) { lines = append(lines, line) }}
	l.write([]byte(s))
	if rest := l.line(); rest != "" {
		lines = append(lines, rest)
	}
	return strings.Join(lines, "\n")
}

// Line is Text on one line, for names, paths and reasons. Nothing in it writes over
// what came before: a name shows all of itself.
func Line(s string) string {
	s = strings.NewReplacer("\r\n", " ", "\r", " ", "\b", "").Replace(s)
	s = strings.TrimSpace(strings.ReplaceAll(Text(s), "\n", " "))
	if utf8.RuneCountInString(s) <= maxWord {
		return s
	}
	return string([]rune(s)[:maxWord-1]) + "…"
}

// A liner makes clean lines of bytes that come in pieces of any size.
type liner struct {
	scan scanner
	max  int
	done func(line string)

	cur []rune
	cut bool
	cr  bool // a carriage return came: the next character begins the line anew
}

func (l *liner) write(p []byte) { l.scan.feed(p, l.add) }

// line is the line so far.
func (l *liner) line() string {
	if l.cut {
		return string(l.cur) + "…"
	}
	return strings.TrimRight(string(l.cur), " ")
}

func (l *liner) add(r rune) {
	switch r {
	case '\n':
		l.done(l.line())
		l.restart()
	case '\r':
		l.cr = true
	case '\b':
		if len(l.cur) > 0 && !l.cut {
			l.cur = l.cur[:len(l.cur)-1]
		}
	case '\t':
		l.put(' ')
		for len(l.cur)%tabStop != 0 && !l.cut {
			l.put(' ')
		}
	default:
		l.put(r)
	}
}

func (l *liner) put(r rune) {
	if l.cr {
		l.restart()
	}
	if len(l.cur) >= l.max-1 {
		l.cut = true
		return
	}
	l.cur = append(l.cur, r)
}

func (l *liner) restart() { l.cur, l.cut, l.cr = l.cur[:0], false, false }

// A scanner takes escape sequences out of a stream. What it lets through is
// printable, or one of \n \r \b \t.
type scanner struct {
	state   state
	partial []byte // the beginning of a character whose rest has not come yet
}

type state int

const (
	ground state = iota
	escaped
	intermediate // an escape with intermediate bytes: one more byte ends it
	control      // a control sequence, up to its final byte
	str          // a string (title, link, image …), up to its terminator
	strEscaped   // an escape inside a string: perhaps its terminator
)

func (s *scanner) feed(p []byte, emit func(rune)) {
	if len(s.partial) > 0 {
		p = append(s.partial, p...)
		s.partial = nil
	}
	for len(p) > 0 {
		if !utf8.FullRune(p) {
			s.partial = append([]byte(nil), p...)
			return
		}
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		s.rune(r, emit)
	}
}

func (s *scanner) rune(r rune, emit func(rune)) {
	switch {
	// A line break ends whatever was open, so that a sequence which never ends
	// cannot swallow the rest of an output.
	case r == '\n', r == 0x18, r == 0x1a:
		s.state = ground
	case s.state == str:
		s.inString(r)
		return
	case s.state == strEscaped && r == '\\':
		s.state = ground
		return
	case r == 0x1b:
		s.state = escaped
		return
	case s.state == escaped, s.state == strEscaped:
		if s.afterEscape(r) {
			return
		}
	case s.state == intermediate && r >= 0x20 && r <= 0x7e:
		if r >= 0x30 {
			s.state = ground
		}
		return
	case s.state == control && r < 0x7f:
		if r >= 0x40 {
			s.state = ground
		}
		return
	}
	s.state = ground
	s.plain(r, emit)
}

func (s *scanner) inString(r rune) {
	switch r {
	case 0x1b:
		s.state = strEscaped
	case 0x07, 0x9c:
		s.state = ground
	}
}

// afterEscape says whether r belongs to the sequence.
func (s *scanner) afterEscape(r rune) bool {
	switch {
	case r == '[':
		s.state = control
	case strings.ContainsRune("]PX^_", r):
		s.state = str
	case r >= 0x20 && r <= 0x2f:
		s.state = intermediate
	case r >= 0x30 && r <= 0x7e:
		s.state = ground
	default:
		return false
	}
	return true
}

func (s *scanner) plain(r rune, emit func(rune)) {
	switch {
	case r == 0x9b:
		s.state = control
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f:
		s.state = str
	case r == '\n', r == '\r', r == '\b', r == '\t', printable(r):
		emit(r)
	}
}

// printable leaves out what reorders or hides text (the format characters, line and
// paragraph separators), but for the two that join letters and emoji.
func printable(r rune) bool {
	if r >= ' ' && r <= '~' || r == '\u200c' || r == '\u200d' {
		return true
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}
