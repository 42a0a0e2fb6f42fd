package block

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

func isBlank(p []byte) bool { return len(bytes.TrimSpace(p)) == 0 }

func trimSpace(s string) string { return strings.TrimSpace(s) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func countDigits(p []byte) int {
	n := 0
	for n < len(p) && isDigit(p[n]) {
		n++
	}
	return n
}

func countIndent(p []byte) int {
	n := 0
	for n < len(p) && (p[n] == ' ' || p[n] == '\t') {
		n++
	}
	return n
}

// trimEnd takes off the blanks at the end.
func trimEnd(p []byte) []byte {
	n := len(p)
	for n > 0 && (p[n-1] == ' ' || p[n-1] == '\t') {
		n--
	}
	return p[:n]
}

func readNumber(p []byte) int {
	n := 0
	for i := 0; i < len(p) && i < 9 && isDigit(p[i]); i++ {
		n = n*10 + int(p[i]-'0')
	}
	return n
}

func hasPrefix(p []byte, s string) bool { return len(p) >= len(s) && string(p[:len(s)]) == s }

func hasSuffix(p []byte, s string) bool { return len(p) >= len(s) && string(p[len(p)-len(s):]) == s }

// hasAnyPrefix reports whether p begins with one of the texts.
func hasAnyPrefix(p []byte, texts ...string) bool {
	for _, s := range texts {
		if hasPrefix(p, s) {
			return true
		}
	}
	return false
}

// containsAny reports whether one of the texts stands in p.
func containsAny(p []byte, texts ...string) bool {
	for _, s := range texts {
		if bytes.Contains(p, []byte(s)) {
			return true
		}
	}
	return false
}

func hasAnySuffix(p []byte, texts ...string) bool {
	for _, s := range texts {
		if hasSuffix(p, s) {
			return true
		}
	}
	return false
}

// lazily returns a regular expression that is compiled when it is first used.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// isMadeOf reports whether p is at least n bytes of c and nothing else.
func isMadeOf(p []byte, c byte, n int) bool {
	if len(p) < n {
		return false
	}
	for _, b := range p {
		if b != c {
			return false
		}
	}
	return true
}

// clipEnd cuts a text to at most n bytes, never inside a character.
func clipEnd(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:cutAt(s, n-len("…"))], "\uFFFD") + "…"
}

// clipMiddle cuts a line to about n bytes: its end often has what differs.
func clipMiddle(p []byte, n int) string {
	if len(p) <= n {
		return strings.ToValidUTF8(string(p), "\uFFFD")
	}
	s := string(p)
	head := s[:cutAt(s, n*2/3)]
	from := len(s) - n/3
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s[… %d bytes cut …]%s", head, from-len(head), s[from:]), "\uFFFD")
}

// dropControls takes control characters out of a text, but for newlines and tabs.
func dropControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

func cutAt(s string, n int) int {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// hashText returns a hash of a text without its numbers of time: `(0.01s)`, `12ms`.
func hashText(h uint64, p []byte) uint64 {
	const prime = 1099511628211
	for _, c := range p {
		if c != ' ' && c != '\t' {
			h = (h ^ uint64(c)) * prime
		}
	}
	return h
}

const hashSeed = 14695981039346656037
