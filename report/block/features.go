package block

import "encoding/binary"

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

// Telltales returns what gives a line a feature. Each is a list of the bytes that may stand at its first places.
func Telltales() (list [][]string) {
	for c, words := range makeTelltales() {
		for _, w := range words {
			if isUpper(byte(c)) {
				continue // it is listed by the lower case
			}
			var places []string
			for _, b := range []byte(w.before + w.word) {
				places = append(places, string(listCases(b)))
			}
			list = append(list, places)
		}
	}
	return append(list, []string{":", "0123456789"}, []string{"(", "0123456789"}, []string{"*", "*", "*"})
}

// A featureScanner finds the features of lines. It skips almost all of a line by looking at pairs of bytes
// at every other position, since every line that a check prints passes through it.
type featureScanner struct {
	words   [256][]telltale
	pairs   [1 << 14]pairMarks // by the lower seven bits of both bytes
	triples [1024]uint64       // the first three bytes of words, by their hash
	first   int                // where the first word was in the last line
}

// pairMarks tell what a pair of bytes may be.
type pairMarks uint8

const (
	firstPair  pairMarks = 1 << iota // the first of a word or a sign, if a second follows
	secondPair                       // the second
	wholePair                        // a sign
)

const (
	longestBefore = 6                  // more than what comes before the letter by which a word is found
	highBits      = 0x8080808080808080 // of eight bytes
)

func newFeatureScanner() *featureScanner {
	s := &featureScanner{words: makeTelltales()}
	for _, words := range s.words {
		for _, w := range words {
			whole := w.before + w.word + "?"
			s.markPair(whole[0], whole[1], firstPair) // at an even position
			s.markPair(whole[2], whole[3], secondPair)
			s.markPair(whole[1], whole[2], firstPair) // at an odd position
			s.markPair(whole[3], whole[4], secondPair)
			n := hashStart([]byte(w.word))
			s.triples[n>>6] |= 1 << (n & 63)
		}
	}
	for _, sign := range []byte(":(") {
		s.markPair('?', sign, firstPair)
		for digit := byte('0'); digit <= '9'; digit++ {
			s.markPair(sign, digit, wholePair)
			s.markPair(digit, '?', secondPair)
		}
	}
	s.markPair('*', '*', wholePair)
	return s
}

// markPair marks a pair, whatever the case of its letters; '?' is any byte.
func (s *featureScanner) markPair(a, b byte, mark pairMarks) {
	for _, x := range listCases(a) {
		for _, y := range listCases(b) {
			s.pairs[pairIndex(uint16(x)|uint16(y)<<8)] |= mark
		}
	}
}

// listCases returns a letter in both cases, or the byte itself; for '?' all bytes without their high bit.
func listCases(c byte) []byte {
	switch {
	case c == '?':
		all := make([]byte, 0x80)
		for i := range all {
			all[i] = byte(i)
		}
		return all
	case isLetter(c):
		return []byte{c | 0x20, c &^ 0x20}
	}
	return []byte{c}
}

// pairIndex returns the place of a pair, whose bytes have no high bits, among all of them.
func pairIndex(pair uint16) uint16 { return pair&0x7f | pair>>1&0x3f80 }

// scan returns the features of a line.
func (s *featureScanner) scan(p []byte) features {
	var f features
	s.first = len(p)
	i, next := 0, 0 // next is the first position that was not looked at
	var last pairMarks
	for ; i+8 <= len(p); i += 8 {
		w := binary.LittleEndian.Uint64(p[i:]) &^ highBits
		a, b := s.pairs[pairIndex(uint16(w))], s.pairs[pairIndex(uint16(w>>16))]
		c, d := s.pairs[pairIndex(uint16(w>>32))], s.pairs[pairIndex(uint16(w>>48))]
		hit := last&(a>>1) | a&(b>>1) | b&(c>>1) | c&(d>>1)
		if hit&firstPair|(a|b|c|d)&wholePair != 0 {
			for k, pair := range [4][2]pairMarks{{last, a}, {a, b}, {b, c}, {c, d}} {
				if pair[0]&(pair[1]>>1)&firstPair|pair[1]&wholePair != 0 {
					at := i + 2*k
					f, next = s.scanRange(p, max(next, at-3), at+longestBefore, f)
				}
			}
		}
		last = d
	}
	f, _ = s.scanRange(p, max(next, i-3, 0), len(p), f)
	return f
}

// scanRange looks at the positions of a line from one up to another. It returns the features f with those
// that it found, and the position after the last that it looked at.
func (s *featureScanner) scanRange(p []byte, from, to int, f features) (features, int) {
	for ; from < to && from+2 < len(p); from++ {
		if s.mayBeginAt(p[from:]) {
			f = s.scanAt(p, from, f)
		}
	}
	return f, from
}

// mayBeginAt reports whether a word, or a sign, may begin at the first of three bytes.
func (s *featureScanner) mayBeginAt(p []byte) bool {
	n := hashStart(p)
	return s.triples[n>>6]>>(n&63)&1 != 0 || p[0] == ':' || p[0] == '(' || p[0] == '*'
}

// hashStart returns a hash of the first three bytes, whatever the case of letters.
func hashStart(p []byte) uint16 {
	_ = p[2]
	key := (uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16) | 0x202020
	return uint16(key * 0x9E3779B1 >> 16)
}

// scanAt returns the features f with those that a line has at a position.
func (s *featureScanner) scanAt(p []byte, i int, f features) features {
	if i+2 >= len(p) {
		return f
	}
	c, next := p[i], p[i+1]
	switch c {
	case ':':
		if next-'0' < 10 {
			f |= hasPlace
		}
		return f
	case '(':
		if next-'0' < 10 {
			f |= hasParen
		}
		return f
	case '*':
		if next == '*' && p[i+2] == '*' {
			f |= hasStars
		}
		return f
	}
	next |= 0x20
	for _, w := range s.words[c] {
		if w.word[1] == next && f&w.is == 0 && foldHas(p[i:], w.word) && i >= len(w.before) && foldHas(p[i-len(w.before):], w.before) {
			f |= w.is
			s.first = min(s.first, i)
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
