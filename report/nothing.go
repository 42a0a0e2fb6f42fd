package report

import "bytes"

// awaitsStart reports whether no format is in the middle of something, so that a line matters only if
// something begins with it.
func (s *Scanner) awaitsStart() bool {
	g := &s.golang
	return g.trace.item == nil && g.cur == nil && g.build.item == nil && g.build.pkg == "" &&
		s.pytest.section == "" && s.jest.cur == nil && s.vitest.cur == nil &&
		s.plain.py == nil && s.plain.cur == nil && s.plain.trace.item == nil
}

// A startKind is what a line needs to have, by its first byte after the blanks, to begin something that a
// format knows.
type startKind byte

const (
	mayStart   startKind = iota // it may begin something, whatever follows
	needsColon                  // a label: a colon near the start
	needsCount                  // a number and what it counts
	needsPlace                  // the place of an error alone
)

// makeStartKinds returns the kinds of the bytes. A byte that is not named here may start something.
func makeStartKinds() (kinds [256]startKind) {
	for c := byte('a'); c <= 'z'; c++ {
		kinds[c] = needsPlace
		kinds[c&^0x20] = needsColon
	}
	for c := byte('0'); c <= '9'; c++ {
		kinds[c] = needsCount
	}
	for _, c := range []byte("epft") {
		kinds[c] = needsColon
	}
	for _, c := range []byte("noNFPTRO") {
		kinds[c] = mayStart
	}
	return kinds
}

// Telltales returns what may make a line the start of something wherever it stands in it. Each is a list of the
// bytes that may stand at its first places.
func Telltales() [][]string { return [][]string{{"r", "r", "o", "r"}, {".", "g", "o", ":"}, {"%"}} }

// startsNothing reports whether a line begins nothing that any format knows: most lines of a long output are
// such. It reports false for every line that one of them may take a second look at. A format that is added,
// or learns to read more, has its first bytes in makeStartKinds. A line is plain if it has none of Telltales.
func (s *Scanner) startsNothing(line []byte, plain bool) bool {
	indent := 0
	for indent < len(line) && line[indent] == ' ' {
		indent++
	}
	if indent == len(line) {
		return false
	}
	rest := line[indent:]
	switch s.kinds[rest[0]] {
	case mayStart:
		return false
	case needsColon:
		if bytes.IndexByte(rest[:min(len(rest), 80)], ':') >= 0 {
			return false
		}
	case needsCount:
		if isCount(rest, indent, plain) {
			return false
		}
	case needsPlace:
	}
	if plain {
		return true
	}
	if indent == 0 && bytes.Contains(line[:min(len(line), 520)], []byte(".go:")) {
		return false
	}
	return !bytes.Contains(line[:min(len(line), plainWidth)], []byte("rror"))
}

// isCount reports whether a line that begins with a number may count tests.
func isCount(rest []byte, indent int, plain bool) bool {
	n := countDigits(rest)
	switch {
	case n == len(rest), !plain && bytes.IndexByte(rest, '%') >= 0:
		return true
	case rest[n] == ' ':
		return indent == 0 || n+1 < len(rest) && bytes.IndexByte([]byte("erpfst"), rest[n+1]) >= 0
	}
	return indent == 0 && rest[n] == '.' // a plan of TAP
}
