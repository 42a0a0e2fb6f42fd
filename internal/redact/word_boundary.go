package redact

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

// endsColour reports whether left ends with a terminal's control sequence, with its first byte as it is
// or escaped.
func endsColour(left []byte) bool {
	i := len(left) - 2
	for i >= 0 && (left[i] >= '0' && left[i] <= '9' || left[i] == ';' || left[i] == ':' || left[i] == '?') {
		i--
	}
	if i < 1 || left[i] != '[' {
		return false
	}
	switch left[i-1] {
	case 0x1b, 'b', 'B', 'e', '3': // ESC, \x1b, \u001b, \e, \033
		return true
	}
	return false
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
