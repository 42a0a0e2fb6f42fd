package view

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mulligan/internal/escape"
	"mulligan/internal/text"
)

const (
	maxLine = 500 // characters of a line of output that a view keeps
	maxWord = 300 // characters of what is shown on one line among other things
	tabStop = 4
)

// Text returns text from outside as it is fit to be shown: without escape sequences, control
// characters and characters that reorder or hide text. A carriage return writes over its
// line as on a terminal, tabs become spaces, line breaks stay.
func Text(s string) string {
	if len(s) < maxLine && isPlain(s) {
		return strings.TrimRight(s, " ")
	}
	var lines []string
	l := liner{max: maxLine, done: func(line string) { lines = append(lines, line) }}
	l.write([]byte(s))
	if rest := l.line(); rest != "" {
		lines = append(lines, rest)
	}
	return strings.Join(lines, "\n")
}

// Line returns Text on one line, for names, paths and reasons. Nothing in it writes over
// what came before: a name shows all of itself.
func Line(s string) string {
	if len(s) <= maxWord && isPlain(s) {
		return strings.Trim(s, " ")
	}
	s = strings.NewReplacer("\r\n", " ", "\r", " ", "\b", "").Replace(s)
	return text.Clip(strings.TrimSpace(strings.ReplaceAll(Text(s), "\n", " ")), maxWord)
}

// isPlain reports whether a text is of printable ASCII characters alone, as most names are: a view shows
// each of them as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Document returns text from outside at its whole length: without escape sequences, control characters and
// characters that reorder or hide text. Tabs and line breaks stay, and nothing writes over what came before.
func Document(s string) string {
	var escapes escape.Parser
	return strings.Map(func(r rune) rune {
		if escapes.Next(r) != escape.Text || !IsShown(r) || r == '\r' || r == '\b' {
			return -1
		}
		return r
	}, s)
}

// A liner makes clean lines of bytes that come in pieces of any size.
type liner struct {
	max  int
	done func(line string)

	escapes escape.Parser
	partial []byte // the beginning of a character whose rest has not come yet

	cur []rune
	cut bool
	cr  bool // a carriage return came: the next character begins the line anew
}

// write takes the next bytes. It takes escape sequences out; what it lets through is printable, or one of
// \n \r \b \t.
func (l *liner) write(p []byte) {
	p = append(l.partial, p...)
	l.partial = nil
	for len(p) > 0 {
		if !utf8.FullRune(p) {
			l.partial = slices.Clone(p)
			return
		}
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		if l.escapes.Next(r) == escape.Text && IsShown(r) {
			l.applyRune(r)
		}
	}
}

// line returns the line so far.
func (l *liner) line() string {
	if l.cut {
		return string(l.cur) + "…"
	}
	return strings.TrimRight(string(l.cur), " ")
}

func (l *liner) applyRune(r rune) {
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
		l.appendRune(' ')
		for len(l.cur)%tabStop != 0 && !l.cut {
			l.appendRune(' ')
		}
	default:
		l.appendRune(r)
	}
}

func (l *liner) appendRune(r rune) {
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

// IsShown reports whether a view shows or obeys a character. What reorders or hides text
// is left out (the format characters, line and paragraph separators), but for the two
// that join letters and emoji.
func IsShown(r rune) bool {
	switch {
	case r >= ' ' && r <= '~', r == '\n', r == '\r', r == '\b', r == '\t', r == '\u200c', r == '\u200d':
		return true
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}
