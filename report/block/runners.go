package block

import "bytes"

// classifyRunner judges a line by the marks of test runners and build tools.
func (s *Scanner) classifyRunner(l *line) (start, bool) {
	t := l.text
	switch c := t[0]; {
	case c == '-':
		return s.classifyDashes(l)
	case c == '_':
		return s.classifyUnderscores(l)
	case c == 0xE2 || c == 0xC3:
		return s.classifySymbol(l)
	case c == '[':
		return classifyBracket(l)
	case isDigit(c):
		n := countDigits(t)
		if n <= 4 && hasPrefix(t[n:], ") ") {
			return start{tier: Failure, kind: "test", mode: numbered, name: t[n+2:]}, true
		}
	case c == 'F':
		return s.classifyFail(l)
	case c == 'n' && hasPrefix(t, "not ok "):
		return start{tier: Failure, kind: "tap", mode: tap}, !containsAny(t, "# TODO", "# SKIP", "# todo", "# skip")
	case c == 'T' && hasPrefix(t, "Traceback (most recent call last)"):
		return start{tier: Failure, kind: "traceback", mode: traceback}, true
	case c == 'p' && hasPrefix(t, "panic: "), c == 'f' && hasPrefix(t, "fatal error: ") && l.indent == 0 && !containsAny(t, ".h:"):
		return start{tier: Failure, kind: "panic", mode: panicking}, true
	case c == 't' && hasPrefix(t, "thread '") && containsAny(t, "' panicked at", ") panicked at"):
		return start{tier: Failure, kind: "panic", mode: paragraph}, true
	case c == 'I' && hasPrefix(t, "In ") && hasSuffix(t, ":") && containsAny(t, " line "):
		return start{tier: Warning, kind: "shellcheck", mode: paragraph}, true
	case c == 'C' && hasPrefix(t, "CMake Error"):
		return start{tier: Failure, kind: "cmake", mode: indented}, true
	case c == '#':
		return start{tier: Failure, kind: "tap", mode: tap, name: bytes.TrimLeft(t, "# ")}, hasPrefix(bytes.TrimLeft(t, "# "), "Failed test")
	case c == '+' && hasPrefix(t, "+++ ") && hasPrefix([]byte(s.prev[3].Text), "--- "):
		file, _, _ := bytes.Cut(t[len("+++ "):], []byte("\t"))
		return start{tier: Complaint, kind: "diff", mode: diffBlock, file: file}, true
	case c == '*':
		return start{tier: Failure, kind: "gradle", mode: paragraph}, hasPrefix(t, "* What went wrong:")
	case c == 'E' || c == 'W' || c == 'A' || c == 'U' || c == 'L' || c == 'M':
		return s.classifySanitizer(l)
	case c == '>':
		return classifyStage(l)
	}
	return s.classifyResult(l)
}

// classifyDashes reads `--- FAIL: TestA`, `---- tests::a stdout ----`, `-- TYPE MISMATCH --- a.elm`.
func (s *Scanner) classifyDashes(l *line) (start, bool) {
	t := l.text
	switch {
	case hasPrefix(t, "--- FAIL: "):
		return start{tier: Failure, kind: "go test", mode: goTest}, true
	case hasPrefix(t, "---- ") && hasAnySuffix(t, " stdout ----", " stderr ----"):
		return start{tier: Failure, kind: "cargo test", mode: cargoTest}, true
	case hasPrefix(t, "-- ") && hasAnySuffix(t, ".elm", ".elm "):
		return start{tier: Failure, kind: "elm", mode: paragraph}, true
	}
	return start{}, false
}

func hasAnySuffix(p []byte, texts ...string) bool {
	for _, s := range texts {
		if hasSuffix(p, s) {
			return true
		}
	}
	return false
}

// classifyUnderscores reads pytest's `____ test_name ____`.
func (s *Scanner) classifyUnderscores(l *line) (start, bool) {
	t := l.text
	if l.indent > 0 || !isPytestTitle(t) {
		return start{}, false
	}
	name := bytes.Trim(t, "_ ")
	for _, phase := range []string{"ERROR collecting ", "ERROR at setup of ", "ERROR at teardown of "} {
		name = bytes.TrimPrefix(name, []byte(phase))
	}
	return start{tier: Failure, kind: "pytest", mode: pytestBlock, name: name}, true
}

// isPytestTitle reports whether a line is the name of a test between rules. A long one has a single character of the
// rule on each side; `_ _ _ _` parts frames.
func isPytestTitle(t []byte) bool {
	n := len(t)
	return n > 8 && t[0] == '_' && (t[1] == '_' || t[1] == ' ') && t[n-1] == '_' && bytes.IndexByte(t, ' ') > 0 && !hasPrefix(t, "_ _")
}

// classifySymbol reads the marks ● ✕ ✗ ✖ ✘ × ❌ that runners put before what failed.
func (s *Scanner) classifySymbol(l *line) (start, bool) {
	t := l.text
	if hasPrefix(t, "● ") {
		if l.indent > 4 || hasAnyPrefix(t, "● Console", "● Deprecation", "● Validation Warning") {
			return start{}, false
		}
		return start{tier: Failure, kind: "jest", mode: jestBlock, file: []byte(s.header), shared: true}, true
	}
	for _, mark := range []string{"✕", "✗", "✖", "✘", "×", "❌", "⨯", "✘"} {
		if !hasPrefix(t, mark) {
			continue
		}
		name := bytes.TrimSpace(t[len(mark):])
		if len(name) == 0 || isDigit(name[0]) && containsAny(name, " problem", " error") || hasPrefix(name, "failing tests") {
			return start{}, false
		}
		return start{tier: Failure, kind: "mark", mode: indented, name: name}, true
	}
	return start{}, false
}

// classifyBracket reads `[  FAILED  ] A.B`, `[ERROR] text`, `[error] text`.
func classifyBracket(l *line) (start, bool) {
	t := l.text
	switch {
	case hasPrefix(t, "[  FAILED  ] "):
		return start{tier: Failure, kind: "gtest", mode: single, name: bytes.TrimSuffix(t, []byte(","))}, bytes.IndexByte(t[13:], '.') > 0
	case hasPrefix(t, "[FAIL") || hasPrefix(t, "[ FAIL"):
		return start{tier: Failure, kind: "mark", mode: indented}, true
	case hasPrefix(t, "[ERROR] "):
		return classifyMaven(l, t[8:])
	}
	return start{}, false
}

// classifyMaven reads what maven marks as an error, apart from its advice.
func classifyMaven(l *line, t []byte) (start, bool) {
	text := bytes.TrimSpace(t)
	st := start{tier: Complaint, kind: "maven", mode: mavenBlock, name: text}
	switch {
	case len(text) == 0 || text[0] == '-' || hasAnyPrefix(text, "To see the full", "Re-run Maven", "For more information", "After correcting",
		"Failures:", "Errors:", "COMPILATION ERROR", "Please refer to", "See ", "[Help ", "Tests run:", "There are test failures"):
		return start{}, false
	case containsAny(text, "<<< FAILURE!", "<<< ERROR!"):
		st.tier, st.kind = Failure, "surefire"
	case hasPrefix(text, "Failed to execute goal"):
		st.kind = "goal"
	default:
		if at, ok := readPlace(text); ok {
			st.tier, st.kind, st.file, st.number = Failure, "javac "+readCode(at.rest), at.file, at.line
		} else if i := bytes.IndexByte(text, ':'); l.text[0] == '[' && countIndent(t) > 0 && i > 0 && i+1 < len(text) && isDigit(text[i+1]) {
			st.tier, st.kind = Failure, "surefire summary"
		} else if countIndent(t) > 0 {
			return start{}, false
		}
	}
	return st, true
}

// classifyFail reads `FAIL: name`, `FAILED name`, `FAIL  file > test`, `FAILED: target`.
func (s *Scanner) classifyFail(l *line) (start, bool) {
	t := l.text
	switch {
	case hasPrefix(t, "FAIL\t"): // go test: the package
		tier := Complaint
		if s.tests.fails > 0 && !hasSuffix(t, "failed]") {
			tier = Hint // its tests tell more
		}
		s.tests.fails = 0
		return start{tier: tier, kind: "package", mode: single}, true
	case hasPrefix(t, "FAIL  ") && (containsAny(t, " > ") || hasSuffix(t, " ]")):
		return start{tier: Failure, kind: "vitest", mode: vitestBlock}, true
	case hasPrefix(t, "FAIL: "):
		mode := mode(indented)
		if isMadeOf([]byte(s.prev[3].Text), '=', 30) || isMadeOf(s.banner, '=', 30) {
			mode = unittest
		}
		return start{tier: Failure, kind: "test", mode: mode, name: t}, true
	case hasPrefix(t, "FAILED: "):
		return start{tier: Failure, kind: "target", mode: paragraph}, true
	case hasPrefix(t, "FAILED "):
		return s.classifySummary(t[len("FAILED "):])
	case hasPrefix(t, "Failed ") && l.indent >= 2 && hasSuffix(t, "]"):
		return start{tier: Failure, kind: "dotnet", mode: dotnet}, true
	case hasPrefix(t, "FAIL ") && l.indent > 0 && !isFileHeader(bytes.TrimSpace(t[len("FAIL "):])):
		return start{tier: Complaint, kind: "summary", mode: indented}, true
	case hasPrefix(t, "File \"") && containsAny(t, ", line "):
		return s.classifyFileLine(l)
	}
	return s.classifyResult(l)
}

// classifyFileLine reads `File "a.ml", line 3, characters 4-5:` and Python's syntax errors.
func (s *Scanner) classifyFileLine(l *line) (start, bool) {
	file, rest, _ := bytes.Cut(l.text[6:], []byte(`"`))
	return start{tier: Failure, kind: "source", file: file, number: readNumber(bytes.TrimLeft(rest, ", line")), mode: fileLine},
		!containsAny(rest, ", in ")
}

// cutSummary returns the test that a line of pytest's summary names.
func cutSummary(t []byte) []byte {
	name, _, _ := bytes.Cut(t, []byte(" - "))
	return name
}

// classifySanitizer reads `ERROR: AddressSanitizer: …`, unittest's `ERROR: test_x (mod)`, and
// valgrind's complaints.
func (s *Scanner) classifySanitizer(l *line) (start, bool) {
	t := l.text
	switch {
	case containsAny(t[:min(len(t), 40)], "Sanitizer: ") && hasAnyPrefix(t, "ERROR: ", "WARNING: "):
		return start{tier: Failure, kind: "sanitizer", mode: sanitizer}, true
	case hasPrefix(t, "ERROR: ") && isMadeOf([]byte(s.prev[3].Text), '=', 30):
		return start{tier: Failure, kind: "test", mode: unittest}, true
	case hasPrefix(t, "ERROR in "):
		return start{tier: Failure, kind: "bundle", mode: bundle}, true
	case hasPrefix(t, "ERROR ") && containsAny(t, "::", ".py"):
		return s.classifySummary(t[len("ERROR "):])
	}
	return s.classifyResult(l)
}

// classifySummary reads a line of pytest's summary, which names what a block describes:
// `tests/test_a.py::TestB::test_c - text`.
func (s *Scanner) classifySummary(t []byte) (start, bool) {
	name := cutSummary(t)
	st := start{tier: Complaint, kind: "summary", mode: single, name: name}
	_, inner, ok := bytes.Cut(name, []byte("::"))
	if !ok {
		inner = name
	}
	if s.store.has(Failure, hashText(hashSeed, trimTiming(bytes.ReplaceAll(inner, []byte("::"), []byte("."))))) {
		st.tier = Hint
	}
	return st, true
}

// classifyStage reads `> Task :test FAILED` and docker's `> [3/5] RUN make:`.
func classifyStage(l *line) (start, bool) {
	t := l.text
	switch {
	case hasPrefix(t, "> Task ") && hasSuffix(t, " FAILED"):
		return start{tier: Complaint, kind: "task", mode: single}, true
	case hasPrefix(t, "> [") && hasSuffix(t, ":"):
		return start{tier: Complaint, kind: "stage", mode: stage}, true
	}
	return start{}, false
}

// classifyResult reads the results that stand at the end of a line: `A > b() FAILED`, `a... FAIL`.
func (s *Scanner) classifyResult(l *line) (start, bool) {
	t := l.text
	switch {
	case l.bits&hasFail != 0 && hasSuffix(t, " FAILED") && containsAny(t, " > "):
		return start{tier: Failure, kind: "gradle test", mode: indented}, true
	case l.bits&hasFail != 0 && hasAnySuffix(t, "(Failed)", "(Timeout)", "(SEGFAULT)") && isDigit(t[0]):
		return start{tier: Failure, kind: "ctest", mode: single}, true
	case l.bits&hasFail != 0 && hasSuffix(t, "[FAIL]"):
		return start{tier: Failure, kind: "xunit", mode: indented}, true
	case l.bits&hasStars != 0 && l.bits&(hasFail|hasError|hasDoubt) != 0 && isMake(t):
		return start{tier: Complaint, kind: "make", mode: single}, true
	case hasPrefix(t, "==") && l.indent == 0 && containsAny(t, "==ERROR: "):
		return start{tier: Failure, kind: "sanitizer", mode: sanitizer}, true
	case l.at > 0 && len(l.raw) > 2 && l.raw[0] == '=' && isValgrind(t):
		return start{tier: Failure, kind: "valgrind", mode: valgrind}, true
	}
	return start{}, false
}

// isMake reports whether a line is make's word about a target: `make[1]: *** [Makefile:3: a] Error 1`.
func isMake(t []byte) bool {
	i := bytes.Index(t, []byte("*** "))
	return i > 0 && i < 60 && containsAny(t[:i], "make", "Makefile", "mk")
}

func isValgrind(t []byte) bool {
	return hasAnyPrefix(t, "Invalid ", "Conditional jump", "Use of uninit", "Process terminating", "Syscall param", "Source and dest", "Mismatched free") ||
		containsAny(t, "definitely lost in", "possibly lost in", "indirectly lost in")
}
