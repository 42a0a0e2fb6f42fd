package block

import (
	"bytes"
	"slices"
)

// features are what a line has in it, so that most lines are turned away without another look.
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

// A telltale is a word, in lower case, that gives a line a feature.
type telltale struct {
	word []byte
	is   features
}

var telltales = slices.Concat(
	tellBy(hasError, "error"),
	tellBy(hasFail, "fail"),
	tellBy(hasFatal, "fatal", "panic", "abort", "killed", "gmentation f"),
	tellBy(hasExcept, "except"),
	tellBy(hasExit, "xit"),
	tellBy(hasWarn, "warn"),
	tellBy(hasUndef, "undefined", "unresolved"),
	tellBy(hasDoubt, "unable to", "no such ", "no rule ", "not found", "differ", "missing", "mismatch", "invalid", "cannot ",
		"ould not ", "denied", "refused", "multiple def", "assert"),
)

func tellBy(is features, words ...string) (out []telltale) {
	for _, w := range words {
		out = append(out, telltale{[]byte(w), is})
	}
	return out
}

// A featureScanner finds the features of lines.
type featureScanner struct {
	lower []byte // the last line in lower case
	first int    // where the first word was in it; its length if it has none
}

// scan returns the features of a line.
func (s *featureScanner) scan(p []byte) features {
	var f features
	s.lower, s.first = s.lower[:0], len(p)
	for i, c := range p {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		s.lower = append(s.lower, c)
		if i+2 >= len(p) {
			continue
		}
		switch {
		case c == ':' && isDigit(p[i+1]):
			f |= hasPlace
		case c == '(' && isDigit(p[i+1]):
			f |= hasParen
		case c == '*' && p[i+1] == '*' && p[i+2] == '*':
			f |= hasStars
		}
	}
	for _, t := range telltales {
		if i := bytes.Index(s.lower, t.word); i >= 0 {
			f |= t.is
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
