package redact

import (
	"bytes"
	"strings"
)

// canStartWord reports whether a word can begin after left. A letter that belongs to an escape (\n of a
// JSON string, %20 of an address, the m that ends a colour) is not part of a word.
func canStartWord(left []byte) bool {
	n := len(left)
	if n == 0 || !isAlnum(left[n-1]) {
		return true
	}
	before := func(k int) byte {
		if k > n {
			return 0
		}
		return left[n-k]
	}
	switch {
	case before(2) == '\\':
		return true
	case before(3) == '%' && isHex(before(2)) && isHex(before(1)):
		return true
	case before(4) == '\\' && before(3) == 'x', before(6) == '\\' && before(5) == 'u':
		return true
	}
	return endsColour(left)
}

// endsColour reports whether left, which is not empty, ends with a terminal's control sequence, with its first byte as it is
// or escaped.
func endsColour(left []byte) bool {
	start, ok := bytes.CutSuffix(bytes.TrimRight(left[:len(left)-1], digits+";:?"), []byte("["))
	n := len(start)
	return ok && n > 0 && strings.IndexByte("\x1bbBe3", start[n-1]) >= 0 // ESC, \x1b, \u001b, \e, \033
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
