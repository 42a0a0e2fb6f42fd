package block

// features are what a line has in it, found in one pass, so that most lines are turned away
// without another look.
type features uint16

const (
	hasError  features = 1 << iota // error, Error, ERROR
	hasFail                        // fail, Fail, FAIL
	hasFatal                       // fatal, panic, abort, segmentation
	hasExcept                      // exception
	hasWarn                        // warning
	hasPlace                       // a colon with a digit after it
	hasParen                       // a parenthesis with a digit after it
	hasUndef                       // undefined, unresolved
	hasStars                       // ***
	hasDoubt                       // cannot, denied, not found, unable, refused, invalid …
	hasExit                        // exit, exited
)

// scanFeatures returns the features of a line.
func scanFeatures(p []byte) features {
	var f features
	for i := 0; i+2 < len(p); i++ {
		switch p[i] {
		case ':':
			if isDigit(p[i+1]) {
				f |= hasPlace
			}
		case '(':
			if isDigit(p[i+1]) {
				f |= hasParen
			}
		case '*':
			if p[i+1] == '*' && p[i+2] == '*' {
				f |= hasStars
			}
		case 'r', 'R':
			if i > 0 && p[i-1]|0x20 == 'e' && foldHas(p[i:], "rror") {
				f |= hasError
			}
		case 'a', 'A':
			f |= scanA(p, i)
		case 'x', 'X':
			if foldHas(p[i:], "xcept") {
				f |= hasExcept
			} else if foldHas(p[i:], "xit") {
				f |= hasExit
			}
		case 'n', 'N', 'd', 'D', 'm', 'M', 'k', 'u', 'g':
			f |= scanDoubt(p, i)
		}
	}
	return f
}

// scanA looks at the words with an a that matter.
func scanA(p []byte, i int) features {
	switch p[i+1] | 0x20 {
	case 'i':
		if i > 0 && p[i-1]|0x20 == 'f' && p[i+2]|0x20 == 'l' {
			return hasFail
		}
	case 't':
		if foldHas(p[i:], "atal") {
			return hasFatal
		}
	case 'n':
		if foldHas(p[i:], "anic") {
			return hasFatal
		}
	case 'b':
		if foldHas(p[i:], "abort") {
			return hasFatal
		}
	case 'r':
		if i > 0 && p[i-1]|0x20 == 'w' && foldHas(p[i:], "arn") {
			return hasWarn
		}
	case 's':
		if foldHas(p[i:], "assert") {
			return hasDoubt
		}
	case 'l':
		if foldHas(p[i:], "alid") && i > 1 && p[i-2]|0x20 == 'n' {
			return hasDoubt
		}
	}
	return 0
}

// scanDoubt looks at the words that only sound like an error.
func scanDoubt(p []byte, i int) features {
	switch p[i] | 0x20 {
	case 'n':
		if foldHas(p[i:], "nnot ") || foldHas(p[i:], "not found") || foldHas(p[i:], "nable to") ||
			foldHas(p[i:], "no such") || foldHas(p[i:], "no rule") || foldHas(p[i:], "ndefined") || foldHas(p[i:], "nresolved") {
			if foldHas(p[i:], "ndefined") || foldHas(p[i:], "nresolved") {
				return hasUndef
			}
			return hasDoubt
		}
	case 'd':
		if foldHas(p[i:], "denied") || foldHas(p[i:], "differ") {
			return hasDoubt
		}
	case 'm':
		if foldHas(p[i:], "missing") || foldHas(p[i:], "mismatch") {
			return hasDoubt
		}
	case 'k':
		if foldHas(p[i:], "killed") {
			return hasFatal
		}
	case 'g':
		if foldHas(p[i:], "gmentation f") {
			return hasFatal
		}
	}
	return 0
}

// foldHas reports whether p begins with s, whatever the case of its letters. s is lower case.
func foldHas(p []byte, s string) bool {
	if len(p) < len(s) {
		return false
	}
	for i := range len(s) {
		c := p[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != s[i] {
			return false
		}
	}
	return true
}
