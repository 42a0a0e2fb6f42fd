package block

import (
	"bytes"
	"slices"
)

// A Scanner reads an output line by line. It is not safe for concurrent use.
type Scanner struct {
	store    store
	line     line // that is read
	open     *Block
	seq      int
	before   []Line    // lines that explain the error that follows them
	source   []byte    // a line that may be the source that the open block is about
	prev     [4]Line   // the last lines, newest last; empty where no block may want them
	follow   int       // lines to come that follow a bare place
	recent   [8]*Block // compilers' blocks, newest first: jobs that run in parallel mix their lines
	header   string    // the last line that names a file, or the suite of tests, for what follows
	banner   []byte    // the last title between rules
	tests    testLogs
	features featureScanner
	doc      document
	openTest string // whose result the open block is, in -json
}

// New returns a Scanner that holds about budget bytes of each tier.
func New(budget int) *Scanner {
	s := &Scanner{store: newStore(budget)}
	s.doc.emit = func(b *Block) {
		b.Seq = s.seq
		s.seq++
		s.store.add(b)
	}
	s.tests.logs = map[string]*testLog{}
	return s
}

// A line is a line of the output under examination.
type line struct {
	raw    []byte // as it was printed
	body   []byte // without what a wrapper put before it
	text   []byte // without its indentation either
	indent int
	at     int // number in the output
	bits   features
}

// Line takes the next line, clean of escapes. at is its number, from 1. The line is not
// retained.
func (s *Scanner) Line(raw []byte, at int) {
	if e, ok := ReadGoEvent(raw); ok {
		s.readGoEvent(e, at)
		return
	}
	if s.doc.readLine(raw) {
		return
	}
	s.readText(line{raw: raw, at: at})
}

// LongPart takes a part of a line that is too long to be held; first marks its first part.
// EndLong ends such a line.
func (s *Scanner) LongPart(p []byte, first bool) {
	if first && !s.doc.isOpen() && s.doc.begin(p) {
		s.closeBlock()
	}
	s.doc.feed(p)
}

// EndLong ends a line that came in parts. held is as much of it as was held.
func (s *Scanner) EndLong(held []byte, at int) {
	if s.doc.isOpen() || s.doc.found > 0 {
		s.doc.feed([]byte{'\n'})
		s.doc.found = 0
		return
	}
	s.readText(line{raw: held[:min(len(held), longStart)], at: at})
}

// longStart is how much of a line the rules look at that is too long to be held.
const longStart = 4 << 10

// readText reads a line of text.
func (s *Scanner) readText(l line) {
	outer := s.line
	s.line = l // functions of tables take its address, and there may be millions
	s.readLine(&s.line)
	s.line = outer
}

func (s *Scanner) readLine(l *line) {
	l.body = trimEnd(l.raw[measureWrapper(l.raw):])
	l.indent = countIndent(l.body)
	l.text = l.body[l.indent:]
	if s.readTestLog(l) {
		return
	}
	s.continueOrBegin(l)
	s.notePrevious(l)
}

// continueOrBegin gives the line to the open block, or begins another one with it.
func (s *Scanner) continueOrBegin(l *line) {
	if s.open != nil && s.continueBlock(l) {
		return
	}
	if len(l.text) == 0 {
		return
	}
	l.bits = s.features.scan(l.text)
	st, ok := s.classify(l)
	if s.open != nil { // it takes what is not the start of another one, as far as its mode allows
		if (!ok || st.tier == Hint) && s.takeRest(l) {
			return
		}
		s.closeBlock()
	}
	if !ok || st.tier == Hint && l.indent <= 2 && isFileHeader(l.text) {
		s.noteHeader(l)
		return
	}
	s.beginBlock(st, l)
}

// A start is what the first line of a block tells.
type start struct {
	tier   Tier
	kind   string
	file   []byte
	number int
	mode   mode
	name   []byte // what tells it apart, where the line has more than that
	shared bool   // it shares the header
}

func (s *Scanner) beginBlock(st start, l *line) {
	b := &Block{Tier: st.tier, Kind: st.kind, File: clipEnd(string(st.file), maxName), mode: st.mode, indent: l.indent, number: st.number, Seq: s.seq}
	s.seq++
	if st.name == nil {
		st.name = l.text
	}
	b.key = hashText(hashSeed, trimTiming(st.name))
	if st.shared {
		b.Header = s.header
		b.key = hashText(b.key, []byte(b.Header))
	}
	if st.mode == compiler || st.mode == rustic {
		copy(s.recent[1:], s.recent[:])
		s.recent[0] = b
	}
	s.attachBefore(b, l)
	b.start = len(b.Lines)
	b.addLine(l.raw, l.at)
	s.open = b
	if st.mode == single {
		s.closeBlock()
	}
}

// attachBefore adds the lines before the first one that explain it.
func (s *Scanner) attachBefore(b *Block, l *line) {
	switch b.mode {
	case compiler, single:
		b.Lines = append(b.Lines, s.before...)
	case javaTrace: // node prints the place and the source before the error
		if n := s.countSourceBefore(); n > 0 {
			b.Lines = append(b.Lines, s.prev[len(s.prev)-n:]...)
		}
	case diffBlock:
		b.Lines = append(b.Lines, s.prev[len(s.prev)-1])
	case indented:
		if p := s.prev[len(s.prev)-1]; p.At == l.at-1 && hasPrefix([]byte(p.Text), "test at ") {
			b.Lines = append(b.Lines, p)
		}
	default:
	}
	for _, x := range b.Lines {
		b.size += len(x.Text) + 48
	}
	s.before = s.before[:0]
}

// countSourceBefore returns how many of the last lines are a place, source and a caret.
func (s *Scanner) countSourceBefore() int {
	n := len(s.prev)
	for skip := 0; skip < 2; skip++ {
		if isCaret([]byte(s.prev[n-1-skip].Text)) {
			return min(skip+3, n)
		}
		if !isBlank([]byte(s.prev[n-1-skip].Text)) {
			return 0
		}
	}
	return 0
}

func (s *Scanner) closeBlock() {
	s.source = s.source[:0]
	if b := s.open; b != nil {
		s.open = nil
		b.seal()
		s.store.add(b)
	}
}

// notePrevious remembers a line for what may follow it.
func (s *Scanner) notePrevious(l *line) {
	// Only lines that a block may want are worth a copy.
	keep := ""
	if len(l.raw) <= 400 && (s.follow > 0 || isWorthKeeping(l)) {
		keep = string(l.raw)
	}
	if s.follow--; keep != "" && len(l.text) > 0 && l.indent == 0 && isBarePlace(l.text) {
		s.follow = 2
	}
	copy(s.prev[:], s.prev[1:])
	s.prev[3] = Line{Text: keep, At: l.at}
}

// isWorthKeeping reports whether a line may explain the start of a block below it.
func isWorthKeeping(l *line) bool {
	if len(l.text) == 0 {
		return len(l.raw) > 0
	}
	switch c := l.text[0]; {
	case c == '^' || c == '~' || c == '|':
		return isCaret(l.raw)
	case c == '-':
		return hasPrefix(l.raw, "--- ")
	case c == '=':
		return isMadeOf(l.text, '=', 30)
	case c == 't' && hasPrefix(l.text, "test at "):
		return true
	}
	return l.indent == 0 && isBarePlace(l.text)
}

// isBarePlace reports whether a line is a place and nothing else.
func isBarePlace(p []byte) bool {
	n := len(p)
	return n > 3 && n < 300 && isDigit(p[n-1]) && (p[0] == '/' || p[0] == '.' || isLetter(p[0])) && bytes.IndexByte(p, ' ') < 0 && bytes.IndexByte(p, ':') > 0
}

// noteHeader remembers a line that explains those after it.
func (s *Scanner) noteHeader(l *line) {
	switch {
	case isCompilerContext(l):
		if len(s.before) >= 12 {
			s.before = slices.Delete(s.before, 4, 5)
		}
		s.before = append(s.before, Line{Text: clipMiddle(l.raw, maxLine), At: l.at})
		return
	case (l.indent == 0 || l.indent <= 2 && hasPrefix(l.text, "FAIL ")) && isFileHeader(l.text):
		s.header = clipMiddle(l.raw, 400)
	case isTitle(l.text):
		s.banner = append(s.banner[:0], bytes.Trim(l.text, "=- ")...)
	}
	if l.indent == 0 {
		s.before = s.before[:0]
	}
}

// isFileHeader reports whether a line names the file that the rows after it are about, or the
// suite that the tests after it belong to.
func isFileHeader(p []byte) bool {
	if len(p) < 3 || len(p) > 300 {
		return false
	}
	c := p[0]
	if (c == 'F' || c == '*' || c == '#' || c == 'R') && hasAnyPrefix(p, "FAIL ", "FILE: ", "************* Module ", "# ", "RUNS ") {
		return true
	}
	if !isLetter(c) && c != '/' && c != '.' && c != '@' && c != '_' {
		return false
	}
	return bytes.IndexByte(p, ' ') < 0 && bytes.ContainsAny(p, "./") && p[len(p)-1] != '.'
}

// isTitle reports whether a line is a title between rules: `=== FAILURES ===`.
func isTitle(p []byte) bool {
	n := len(p)
	return n > 8 && (p[0] == '=' || p[0] == '-') && p[1] == p[0] && p[n-1] == p[0] && bytes.IndexByte(p, ' ') > 0
}

// Result is what a Scanner found.
type Result struct {
	Blocks []*Block   // in the order of the output; bounded
	Total  [tiers]int // how many there were of each tier
	Names  []string   // of items that are not among the blocks, as far as they were held
}

// EndPart ends what is open: the lines that follow are not the next ones.
func (s *Scanner) EndPart() {
	s.closeBlock()
	s.doc.finish()
	s.tests.cur = nil
	s.before = s.before[:0]
}

// Finish ends the output and returns what was found, with the lines ranked.
func (s *Scanner) Finish() Result {
	s.closeBlock()
	s.doc.finish()
	s.flushTestLogs()
	r := s.store.result()
	for _, b := range r.Blocks {
		b.rankLines()
	}
	return r
}
