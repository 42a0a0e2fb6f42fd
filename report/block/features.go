package block

import (
	"encoding/binary"
	"math/bits"
)

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

// A featureScanner finds the features of lines. It skips almost all of a line by looking at pairs of bytes
// at every other position, since every line that a check prints passes through it.
type featureScanner struct {
	words   [256][]telltale
	pairs   [1024]uint64 // the pairs of bytes near which something may be, a bit each
	triples [1024]uint64 // the first three bytes of words, by their hash
	first   int          // where the first word was in the last line
}

func newFeatureScanner() *featureScanner {
	f := &featureScanner{words: makeTelltales()}
	for _, words := range f.words {
		for _, w := range words {
			f.addLetters(w.word[0], w.word[1]) // of a word at an even position
			f.addLetters(w.word[1], w.word[2]) // of one at an odd position
			n := hashStart([]byte(w.word))
			f.triples[n>>6] |= 1 << (n & 63)
		}
	}
	for c := range 256 {
		f.addPair(byte(c), ':') // at an odd position
		f.addPair(byte(c), '(')
	}
	for c := byte('0'); c <= '9'; c++ {
		f.addPair(':', c)
		f.addPair('(', c)
	}
	f.addPair('*', '*')
	return f
}

// addLetters adds a pair in all its cases. A byte that is no letter is its own.
func (s *featureScanner) addLetters(a, b byte) {
	for _, x := range []byte{a, a &^ 0x20} {
		for _, y := range []byte{b, b &^ 0x20, b | 0x20} {
			s.addPair(x, y)
		}
	}
}

func (s *featureScanner) addPair(a, b byte) {
	n := uint16(a) | uint16(b)<<8
	s.pairs[n>>6] |= 1 << (n & 63)
}

// scan returns the features of a line.
func (s *featureScanner) scan(p []byte) features {
	var f features
	s.first = len(p)
	i, next := 0, 0 // next is the first position that was not looked at
	for ; i+8 <= len(p); i += 8 {
		w := binary.LittleEndian.Uint64(p[i:])
		a, b, c, d := uint16(w), uint16(w>>16), uint16(w>>32), uint16(w>>48)
		hit := s.pairs[a>>6]>>(a&63)&1 | s.pairs[b>>6]>>(b&63)&1<<1 | s.pairs[c>>6]>>(c&63)&1<<2 | s.pairs[d>>6]>>(d&63)&1<<3
		for ; hit != 0; hit &= hit - 1 {
			at := i + 2*bits.TrailingZeros64(hit)
			for next = max(next, at-1); next <= at+1 && next+2 < len(p); next++ {
				if s.mayBeginAt(p[next:]) {
					f = s.scanAt(p, next, f)
				}
			}
		}
	}
	for next = max(next, i-1); next+2 < len(p); next++ {
		if s.mayBeginAt(p[next:]) {
			f = s.scanAt(p, next, f)
		}
	}
	return f
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
