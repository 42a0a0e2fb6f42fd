package block

import "bytes"

// classify reports whether a line begins a block, and of which sort. The order is that of
// certainty: what test runners print, places, labels, words.
func (s *Scanner) classify(l *line) (start, bool) {
	t := l.text
	if isPassed(t) {
		return start{}, false
	}
	if st, ok := s.classifyBy(runners(), l); ok {
		return st, true
	}
	if hasPrefix(t, "[ERROR] ") { // maven's advice
		return start{}, false
	}
	if l.bits&(hasPlace|hasParen) != 0 || l.bits != 0 && bytes.Contains(t[:min(len(t), 200)], []byte(": line ")) {
		if at, ok := readPlace(trimLevel(t)); ok {
			if st, ok := s.classifyPlaced(l, at); ok {
				return st, true
			}
			return start{}, false
		}
	}
	if l.bits == 0 {
		return start{}, false
	}
	if st, ok := s.classifyRow(l); ok {
		return st, true
	}
	if st, ok := classifyLabel(l, s.features.first); ok {
		return st, true
	}
	return s.classifyBy(words(), l)
}

// isPassed reports whether a line tells that a test passed, or only announces it: its title may be about errors.
func isPassed(t []byte) bool {
	if hasPrefix(t, "ok ") && len(t) > 3 {
		return t[3] == '-' || isDigit(t[3])
	}
	return hasAnyPrefix(t, "✓", "✔", "√", "# Subtest: ") || hasAnySuffix(t, " ... ok", " PASSED")
}

// trimLevel takes off the level that maven and sbt put before every line.
func trimLevel(t []byte) []byte {
	for _, level := range []string{"[ERROR] ", "[error] ", "[WARNING] ", "[warn] ", "[WARN] ", "ERROR: ", "error: ", "e: ", "w: ", "vet: "} {
		if hasPrefix(t, level) {
			return bytes.TrimLeft(t[len(level):], " ")
		}
	}
	return bytes.TrimPrefix(t, []byte("file://"))
}

// classifyPlaced judges a line that begins with a place.
func (s *Scanner) classifyPlaced(l *line, at placed) (start, bool) {
	st := start{tier: Failure, mode: compiler, file: at.file, number: at.line, name: l.text}
	word, rest := readSeverity(at.rest)
	if len(at.rest) == 0 {
		return st, false
	}
	switch word {
	case "error", "fatal error", "fatal", "syntax error", "runtime error", "failure", "failed", "internal compiler error":
		if st.kind = "error"; len(rest) > 0 {
			if code := readCode(rest); code != "" {
				st.kind = "error " + code
			}
		}
	case "warning":
		st.tier, st.kind = Warning, "warning "+readCode(rest)
	case "note", "info", "information", "help", "remark", "hint", "style", "convention", "refactor":
		st.tier, st.kind = Warning, word
	default:
		return s.classifyUnlabelled(l, at, st)
	}
	return st, true
}

// classifyUnlabelled judges a line with a place and no word for how bad it is: linters print
// such lines, and so do logs and stack traces.
func (s *Scanner) classifyUnlabelled(l *line, at placed, st start) (start, bool) {
	code := readCode(at.rest)
	st.kind = code
	level := l.text[0] == '[' || hasAnyPrefix(l.text, "ERROR: ", "error: ", "e: ")
	switch {
	case hasAnyPrefix(at.rest, "in ", "in`", "In ", "required ", "instantiated ", "recursively "), hasPrefix(at.rest, "at "):
		i := bytes.LastIndexByte(at.rest, '(') // Ruby: `a.rb:3:in 'x': text (SomeError)`
		if i < 0 || !hasSuffix(at.rest, ")") || !containsAny(at.rest[i:], "Error)", "Exception)") {
			return st, false
		}
		st.mode = indented
	case hasPrefix(at.rest, "assert ") || isExceptionText(at.rest):
		st.mode = single
	case hasAnyPrefix(l.text, "[WARN", "[warn", "w: "):
		st.tier = Warning
	case hasSuffix(at.rest, "]") && containsAny(at.rest, "[Warning/"):
		st.tier = Warning
	case code != "" || at.column || level || hasPrefix(at.rest, "*** "), hasPrefix([]byte(s.header), "# "), hasSuffix(at.rest, "Failure"), hasPrefix(at.rest, "FAILED"):
	case l.bits&(hasUndef|hasError|hasFail|hasFatal|hasExcept) != 0 || containsAny(at.rest, "multiple definition", "command not found", "No such file"):
		st.tier, st.kind = Complaint, "placed"
	case l.bits&hasDoubt != 0:
		st.tier, st.kind = Hint, "placed"
	default:
		return st, false
	}
	return st, true
}

// readSeverity reads the word that tells how bad it is, in lower case, and what follows it.
func readSeverity(p []byte) (word string, rest []byte) {
	p = bytes.TrimLeft(p, "[(")
	for _, w := range severities {
		if foldHas(p, w) {
			r := p[len(w):]
			if len(r) == 0 || !isLetter(r[0]) {
				return w, bytes.TrimLeft(r, ":]) -\t")
			}
		}
	}
	return "", p
}

var severities = []string{
	"fatal error", "error", "warning", "note", "fatal", "syntax error", "runtime error", "information", "info", "help",
	"remark", "hint", "style", "convention", "refactor", "failure", "failed", "internal compiler error",
}

// readCode returns the code of a message: `E302`, `TS2322`, `[E0425]`, `SC2086`, or its rule,
// which stands at the end: `(no-unused-vars)`, `[-Wunused]`.
func readCode(p []byte) string {
	p = bytes.TrimLeft(p, "[(")
	n := 0
	for n < len(p) && n < 10 && isUpper(p[n]) {
		n++
	}
	if d := countDigits(p[n:]); n > 0 && n <= 6 && d >= 2 && d <= 6 {
		return string(p[:n+d])
	}
	if k := len(p); k > 3 && (p[k-1] == ']' || p[k-1] == ')') {
		if i := bytes.LastIndexAny(p[max(0, k-60):k-1], "[("); i >= 0 {
			if rule := p[max(0, k-60)+i+1 : k-1]; bytes.IndexByte(rule, ' ') < 0 {
				return string(rule)
			}
		}
	}
	return ""
}

// classifyRow reads the rows that linters print below the name of a file:
// `  3:7  error  text  rule`, ` 12 | ERROR | text`.
func (s *Scanner) classifyRow(l *line) (start, bool) {
	t := l.text
	n := countDigits(t)
	if n == 0 || l.indent == 0 {
		return start{}, false
	}
	rest := t[n:]
	if len(rest) > 1 && rest[0] == ':' && isDigit(rest[1]) {
		rest = rest[1+countDigits(rest[1:]):]
	} else if !hasPrefix(bytes.TrimLeft(rest, " "), "| ") {
		return start{}, false
	}
	word, after := readSeverity(bytes.TrimLeft(rest, " |\t"))
	tier := Failure
	switch word {
	case "error", "fatal":
	case "warning", "info", "hint", "note", "style":
		tier = Warning
	default:
		if !hasAnyPrefix(bytes.TrimLeft(rest, " \t"), "✖", "×", "✗", "⚠") {
			return start{}, false
		}
	}
	rule := after
	if i := bytes.LastIndex(after, []byte("  ")); i >= 0 {
		rule = after[i+2:]
	}
	return start{tier: tier, kind: "row " + clipEnd(string(rule), 60), file: []byte(s.header), mode: row, shared: true}, true
}
