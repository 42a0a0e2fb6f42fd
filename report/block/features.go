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

// A telltale is a word, found by its rarest letters, and the feature that it is.
type telltale struct {
	word   string // in lower case, from the letter by which it is found
	before string // what comes before that letter, "" for anything
	is     features
}

// telltales returns the words by the letter at which they are found.
func makeTelltales() (words [256][]telltale) {
	for _, w := range []telltale{
		{"rror", "e", hasError},
		{"fail", "", hasFail},
		{"fatal", "", hasFatal},
		{"panic", "", hasFatal},
		{"bort", "a", hasFatal},
		{"xcept", "e", hasExcept},
		{"xit", "e", hasExit},
		{"warn", "", hasWarn},
		{"killed", "", hasFatal},
		{"gmentation f", "", hasFatal},
		{"undefined", "", hasUndef},
		{"unresolved", "", hasUndef},
		{"unable to", "", hasDoubt},
		{"uch ", "no s", hasDoubt},
		{"ule ", "no r", hasDoubt},
		{"found", "not ", hasDoubt},
		{"ffer", "di", hasDoubt},
		{"missing", "", hasDoubt},
		{"mismatch", "", hasDoubt},
		{"valid", "in", hasDoubt},
		{"not ", "can", hasDoubt},
		{"not ", "ould ", hasDoubt},
		{"denied", "", hasDoubt},
		{"fused", "re", hasDoubt},
		{"multiple def", "", hasDoubt},
		{"sert", "as", hasDoubt},
	} {
		c := w.word[0]
		words[c] = append(words[c], w)
		words[c&^0x20] = append(words[c&^0x20], w)
	}
	return words
}

// A featureScanner finds the features of lines.
type featureScanner struct {
	words [256][]telltale
	look  [256]bool
	first int // where the first word was in the last line
}

func newFeatureScanner() *featureScanner {
	f := &featureScanner{words: makeTelltales()}
	for c := range f.words {
		f.look[c] = len(f.words[c]) > 0 || c == ':' || c == '(' || c == '*'
	}
	return f
}

// scan returns the features of a line.
func (s *featureScanner) scan(p []byte) features {
	var f features
	s.first = len(p)
	for i := 0; i+2 < len(p); i++ {
		c := p[i]
		if !s.look[c] {
			continue
		}
		next := p[i+1]
		switch c {
		case ':':
			if next-'0' < 10 {
				f |= hasPlace
			}
			continue
		case '(':
			if next-'0' < 10 {
				f |= hasParen
			}
			continue
		case '*':
			if next == '*' && p[i+2] == '*' {
				f |= hasStars
			}
			continue
		}
		next |= 0x20
		for _, w := range s.words[c] {
			if w.word[1] == next && f&w.is == 0 && foldHas(p[i:], w.word) && i >= len(w.before) && foldHas(p[i-len(w.before):], w.before) {
				f |= w.is
				s.first = min(s.first, i)
			}
		}
	}
	return f
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
