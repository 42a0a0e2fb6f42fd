package block

import "bytes"

// continueCompiler takes what belongs to a compiler's error: the source that it quotes, carets,
// and notes.
func (s *Scanner) continueCompiler(l *line) bool {
	b := s.open
	if len(s.source) > 0 { // a caret, or source that is indented, proves that it belongs here
		caret := isCaret(l.raw)
		if caret || len(l.text) > 0 && l.indent > b.indent+2 && !startsPlaced(l) {
			b.addLine(s.source, l.at-1)
			b.quoted = caret
		}
		if s.source = s.source[:0]; caret {
			b.addLine(l.raw, l.at)
			return true
		}
	}
	if len(l.text) == 0 {
		if b.blank || b.quoted && !hasAnyTilde(b) {
			return false
		}
		b.blank = true
		return true
	}
	if s.takeQuoted(l) {
		return true
	}
	if b.blank {
		return b.continueFramed(l)
	}
	l.bits = s.features.scan(l.text)
	if isCompilerContext(l) { // of a note, or of the next error
		s.noteHeader(l)
		return true
	}
	if at, ok := readPlace(trimLevel(l.text)); ok {
		if !isNote(at.rest) && !(l.indent > 4 && l.indent > b.indent) {
			return false
		}
		for _, x := range s.before {
			b.addLine([]byte(x.Text), x.At)
		}
		s.before = s.before[:0]
		b.addLine(l.raw, l.at)
		return true
	}
	if l.indent > b.indent || l.text[0] == '|' || hasPrefix(l.text, "note: ") || isLevelContinuation(b, l) {
		b.quoted = b.quoted || isCaret(l.raw)
		b.addLine(l.raw, l.at)
		return true
	}
	return false
}

// continueFramed takes what is indented below a line that has a place and a rule, after a blank one.
func (b *Block) continueFramed(l *line) bool {
	if l.indent < 2 || l.indent <= b.indent || startsPlaced(l) {
		return false
	}
	if !b.quoted {
		b.mode = indented
	}
	b.blank = false
	b.addLine(l.raw, l.at)
	return true
}

// holdSource remembers a line that may be the source which the open block is about: clang, javac
// and others quote it as it stands, and the caret below proves it.
func (s *Scanner) holdSource(l *line) bool {
	b := s.open
	if b.quoted || b.blank || len(l.raw) > 500 || len(b.Lines) > b.start+2 || len(s.source) > 0 {
		return false
	}
	s.source = append(s.source[:0], l.raw...)
	return true
}

func startsPlaced(l *line) bool {
	at, ok := readPlace(trimLevel(l.text))
	if !ok {
		return false
	}
	word, _ := readSeverity(at.rest)
	return word == "error" || word == "warning"
}

// isLevelContinuation reports whether sbt marks another line of the same error.
func isLevelContinuation(b *Block, l *line) bool {
	return hasPrefix(l.text, "[error] ") && len(b.Lines) < b.start+8
}

// hasAnyTilde reports whether the block has quoted source with a blank line before it, as tsc does.
func hasAnyTilde(b *Block) bool {
	return bytes.ContainsRune([]byte(b.Lines[len(b.Lines)-1].Text), '~')
}

// takeQuoted takes a line of quoted source: `   12 |   x = 1`, `      |   ^`, and tsc's `12   x = 1`.
// Jobs that run in parallel mix their lines, so the number decides whose it is.
func (s *Scanner) takeQuoted(l *line) bool {
	b := s.open
	n := countDigits(l.text)
	switch {
	case isQuoted(l.text):
		if n > 0 {
			b = s.findQuoted(readNumber(l.text))
		}
	case b.blank && (n > 0 && n < 7 && len(l.text) > n && l.text[n] == ' ' || isCaret(l.raw)):
	default:
		return false
	}
	b.quoted, b.blank = true, false
	b.addLine(l.raw, l.at)
	return true
}

// findQuoted returns the block that quotes the source line of that number.
func (s *Scanner) findQuoted(number int) *Block {
	if s.open != nil && s.open.number == number {
		return s.open
	}
	for _, b := range s.recent {
		if b != nil && b.number == number && !b.quoted && s.open != nil && s.open.Seq-b.Seq < 8 {
			s.open = b
			return b
		}
	}
	return s.open
}

// isQuoted reports whether a line is quoted source with a margin: `12 | x`, `| ^`, `> 12 | x`, `12 │ x`.
func isQuoted(t []byte) bool {
	t = bytes.TrimLeft(t, "> ")
	t = t[countDigits(t):]
	i := countIndent(t)
	if i == len(t) {
		return false
	}
	t = t[i:]
	return t[0] == '|' && (len(t) == 1 || t[1] == ' ' || t[1] == '\t') || hasPrefix(t, "│") || hasPrefix(t, "╵") || hasPrefix(t, "--> ") || hasPrefix(t, "::: ") || hasPrefix(t, "= ")
}

// isCaret reports whether a line marks a part of the one above it.
func isCaret(p []byte) bool {
	t := bytes.TrimSpace(p)
	if len(t) == 0 || t[0] != '^' && t[0] != '~' && t[0] != '|' {
		return false
	}
	if t[0] == '|' {
		t = bytes.TrimLeft(t[1:], " ")
	}
	marks := 0
	for marks < len(t) && (t[marks] == '^' || t[marks] == '~' || t[marks] == '-') {
		marks++
	}
	return marks > 0 && (marks == len(t) || t[marks] == ' ' || t[marks] == '|')
}

// isNote reports whether what follows a place explains the error before it.
func isNote(rest []byte) bool {
	word, _ := readSeverity(rest)
	switch word {
	case "note", "help", "remark", "hint":
		return true
	}
	return hasAnyPrefix(rest, "required ", "in expansion ", "other declaration", "instantiated ", "previous ")
}

// isCompilerContext reports whether a line explains the error that follows it.
func isCompilerContext(l *line) bool {
	t := l.text
	if hasAnyPrefix(t, "In file included from ", "from ") && l.bits&hasPlace != 0 {
		return true
	}
	n := len(t)
	if n < 8 {
		return false
	}
	return t[n-1] == ':' && containsAny(t, ": In ", ": in function ", ": At ", "in function `") ||
		l.bits&hasPlace != 0 && containsAny(t, "required from", "required by", "instantiated from")
}
