package block

import "bytes"

// passPlain takes a plain line that neither begins nor continues anything, and reports whether it is such a line:
// most lines of a long output are. It leaves the Scanner as readLine would.
func (s *Scanner) passPlain(raw []byte, at int) bool {
	if s.open != nil || s.tests.cur != nil || s.doc.active != 0 || s.follow > 0 || s.unkept < len(s.prev) {
		return false
	}
	indent, end := 0, len(raw)
	for indent < end && raw[indent] == ' ' {
		indent++
	}
	if indent == end || !s.quiet[raw[indent]] || indent == 0 && measureWrapper(raw) > 0 {
		return false
	}
	for raw[end-1] == ' ' || raw[end-1] == '\t' {
		end--
	}
	text := raw[indent:end]
	if text[len(text)-1] == ':' || bytes.IndexByte(text, ' ') < 0 || isDigit(text[0]) && hasPrefix(text[countDigits(text):], ") ") {
		return false
	}
	if indent == 0 {
		s.before = s.before[:0]
	}
	s.doc.found = 0
	s.features.first = len(text)
	s.follow--
	s.shiftPrevious(at)
	return true
}

// makeQuiet returns which bytes a line begins with that tells nothing if it has a blank and no feature: those of
// tellsNothing.
func makeQuiet() (quiet [256]bool) {
	for c := range 256 {
		l := line{text: []byte{byte(c), ' ', 'x'}}
		l.raw = l.text
		quiet[c] = (isLetter(byte(c)) || isDigit(byte(c))) && tellsNothing(&l)
	}
	return quiet
}
