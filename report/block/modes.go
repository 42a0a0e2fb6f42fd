package block

import "bytes"

// A mode is how a block goes on after its first line.
type mode uint8

const (
	single      mode = iota // it does not
	indented                // lines that are indented deeper, with blank ones between them
	paragraph               // up to a blank line
	row                     // a row of a linter's table, and its continuation lines
	logLine                 // a log line: what is indented, and the trace that follows
	compiler                // the source, carets, notes
	rustic                  // rustc's: up to a blank line
	fileLine                // `File "a.ml", line 3`: the source, then the error
	traceback               // Python's: frames, the error, what it was caused by
	javaTrace               // an exception with its frames below
	panicking               // Go's panic with the first goroutine
	goTest                  // what is indented below `--- FAIL`
	pytestBlock             // up to the next title
	unittest                // up to the next rule
	jestBlock               // up to what is not indented
	vitestBlock             // up to a rule of ⎯
	numbered                // `1) name`: up to the next number or the totals
	cargoTest               // up to the next `----`
	tap                     // the YAML or the comments below `not ok`
	dotnet                  // up to the next result
	sanitizer               // up to its summary
	valgrind                // up to an empty line of valgrind's
	mavenBlock              // lines that follow `[ERROR] text`
	bundle                  // webpack's: blank lines, then a code frame
	stage                   // docker's: up to a rule
	diffBlock               // a unified diff
	decoded                 // made from JSON or XML
)

// These end a block whose end was not recognised: there is less doubt about the end of one that
// goes by its indentation.
const (
	maxSectionLines  = 5000
	maxIndentedLines = 1000000
)

// continueBlock reports whether the open block takes the line for sure.
func (s *Scanner) continueBlock(l *line) bool {
	b := s.open
	most := maxSectionLines
	if b.mode == goTest || b.mode == jestBlock || b.mode == indented || b.mode == pytestBlock || b.mode == diffBlock {
		most = maxIndentedLines
	}
	if len(b.Lines)+len(b.tail)+b.Left > most {
		return false
	}
	take := false
	switch b.mode {
	case pytestBlock, unittest, jestBlock, vitestBlock, numbered, cargoTest, dotnet, sanitizer, stage:
		take = !s.endsSection(b, l)
	case valgrind:
		take = len(l.text) > 0 && l.raw[0] == '='
	case compiler:
		return s.continueCompiler(l)
	case traceback:
		take = b.continueTraceback(l)
	case panicking:
		take = b.continuePanic(l)
	case tap:
		take = len(l.text) > 0 && (l.text[0] == '#' && b.takesComment(l) || l.indent > b.indent)
	default:
		take = b.continueLoose(l)
	}
	if take {
		b.blank = len(l.text) == 0
		b.addLine(l.raw, l.at)
	}
	return take
}

// takesComment reports whether a comment of TAP is about the block's test.
func (b *Block) takesComment(l *line) bool {
	text := bytes.TrimLeft(l.text, "# ")
	if hasPrefix(text, "Failed test") {
		return len(b.Lines) == b.start+1 && hasPrefix(bytes.TrimSpace([]byte(b.Lines[b.start].Text)), "not ok")
	}
	return !hasAnyPrefix(text, "Subtest", "Looks like")
}

// continueLoose judges a line for the modes that go by indentation and blank lines.
func (b *Block) continueLoose(l *line) bool {
	if len(l.text) == 0 {
		switch b.mode {
		case indented, bundle, goTest, logLine, javaTrace:
			return !b.blank
		case fileLine:
			return false
		default:
			return false
		}
	}
	deeper := l.indent > b.indent
	switch b.mode {
	case indented, bundle:
		return deeper || !b.blank && hasAnyPrefix(l.text, "Caused by:", "Call Stack")
	case goTest:
		return deeper && !hasPrefix(l.text, "--- ") || b.phase == 0 && len(b.Lines) == b.start+1 && b.absorbPanic(l)
	case javaTrace, logLine:
		return deeper && !b.blank || isFrame(l.raw) || hasAnyPrefix(l.text, "Caused by:", "Suppressed:", "... ") && isDigitAfterDots(l.text) ||
			deeper && b.blank && (isTellingText(l.raw) || b.mode == javaTrace && len(b.Lines) < 30)
	case rustic:
		return deeper || isQuoted(l.text) || hasAnyPrefix(l.text, "note: ", "help: ")
	case row:
		return l.indent > b.indent+6
	case paragraph:
		return deeper && !b.blank || isCaret(l.raw)
	case diffBlock:
		c := l.raw[0]
		return c == ' ' || c == '+' || c == '-' && !hasPrefix(l.raw, "--- ") || c == '@' || c == '\\' || c == '\t'
	case fileLine:
		return deeper || isQuoted(l.text) || b.phase == 0 && b.endFileLine(l)
	case mavenBlock:
		return continueMaven(b, l)
	default:
	}
	return false
}

// endFileLine reports whether the line is the error that follows the source.
func (b *Block) endFileLine(l *line) bool {
	b.phase = 1
	i := bytes.IndexByte(l.text, ':')
	return i > 0 && (hasPrefix(l.text, "Error") || hasPrefix(l.text, "Warning") || isExceptionName(l.text[:i]))
}

func isDigitAfterDots(p []byte) bool {
	return !hasPrefix(p, "... ") || len(p) > 4 && isDigit(p[4])
}

// absorbPanic makes the panic that follows the name of a test a part of it.
func (b *Block) absorbPanic(l *line) bool {
	if !hasPrefix(l.text, "panic: ") {
		return false
	}
	b.mode = panicking
	return true
}

// continueMaven takes the further lines of what maven marks as an error.
func continueMaven(b *Block, l *line) bool {
	if hasPrefix(l.text, "[ERROR]") {
		rest := l.text[len("[ERROR]"):]
		return countIndent(rest) > 2 && b.Kind != "surefire summary" && !isSummaryEntry(rest)
	}
	if l.text[0] == '[' {
		return false
	}
	return b.Kind == "surefire" || l.indent > 0
}

func isSummaryEntry(p []byte) bool {
	p = bytes.TrimSpace(p)
	i := bytes.IndexByte(p, ':')
	return i > 0 && i+1 < len(p) && isDigit(p[i+1]) && bytes.IndexByte(p[:i], ' ') < 0
}

// takeRest reports whether the open block takes a line that begins no other block.
func (s *Scanner) takeRest(l *line) bool {
	b := s.open
	take := false
	switch b.mode {
	case compiler:
		return s.holdSource(l)
	case paragraph, rustic:
		take = !b.blank && len(b.Lines) < 60 && !isResultLine(l.text)
	case javaTrace: // the rest of a message of several lines, before the frames
		take = !b.blank && b.phase == 0 && len(b.Lines) < 12 && !isResultLine(l.text) && !isFrame([]byte(b.Lines[len(b.Lines)-1].Text))
	case mavenBlock:
		take = !b.blank && b.Kind == "surefire"
	case bundle:
		take = len(b.Lines) < 6
	default:
	}
	if take {
		b.addLine(l.raw, l.at)
	}
	return take
}

// isResultLine reports whether a line tells of something that went well, or announces what is
// done next: it is not part of any message.
func isResultLine(t []byte) bool {
	return hasAnyPrefix(t, "ok ", "ok\t", "PASS", "=== ", "--- ", "✓", "✔", "[INFO]", "make", "gcc ", "g++ ", "cc ", "clang", "+ ", "> ", "$ ", "==> ", "Compiling ", "test ", "FAIL")
}

// endsSection reports whether a line ends a block that goes up to a mark.
func (s *Scanner) endsSection(b *Block, l *line) bool {
	t := l.text
	switch b.mode {
	case pytestBlock:
		return l.indent == 0 && (isTitle(t) && t[0] == '=' || hasPrefix(t, "= ") && hasSuffix(t, " =") || isPytestTitle(t))
	case unittest:
		if l.indent == 0 && (isMadeOf(t, '=', 30) || isMadeOf(t, '-', 30)) {
			b.phase++
			return t[0] == '=' || b.phase > 1
		}
		return false
	case jestBlock:
		return len(t) > 0 && (l.indent <= b.indent || hasPrefix(t, "● ") && l.indent <= 4)
	case vitestBlock:
		if hasPrefix(t, "FAIL  ") {
			return b.countBody() > 0
		}
		return hasPrefix(t, "⎯⎯⎯") || hasAnyPrefix(t, "Test Files ", "Tests  ")
	case numbered:
		return s.endsNumbered(b, l)
	case cargoTest:
		return l.indent == 0 && (hasAnyPrefix(t, "---- ", "failures:", "test result:", "successes:") || hasPrefix(t, "error: test failed"))
	case dotnet:
		return len(t) > 0 && (l.indent < b.indent || l.indent == b.indent && hasAnyPrefix(t, "Passed ", "Failed ", "Skipped ")) ||
			hasAnyPrefix(t, "Passed!", "Failed!", "Test Run ")
	case sanitizer:
		if b.phase > 0 {
			return true
		}
		if hasPrefix(t, "SUMMARY: ") {
			b.phase = 1
		}
		return hasPrefix(t, "ABORTING")
	case stage:
		return isMadeOf(t, '-', 4)
	default:
	}
	return true
}

// endsNumbered reports whether a line ends a numbered failure. Mocha also numbers the failures
// in its list of all tests, where nothing about them follows.
func (s *Scanner) endsNumbered(b *Block, l *line) bool {
	t := l.text
	if len(t) == 0 {
		b.phase |= 1
		return false
	}
	first := len(b.Lines) == b.start+1
	n := countDigits(t)
	switch {
	case n > 0 && hasPrefix(t[n:], ") ") && l.indent <= b.indent+2:
		return true
	case hasAnyPrefix(t, "✓", "✔", "√", "Finished in", "Failed examples:", "FAILURES!", "ERRORS!", "Tests: ", "Rerun:", "Ran ", "Summary"):
		return true
	case n > 0 && l.indent <= b.indent && hasAnyPrefix(t[n:], " examples", " example,", " runs", " run,", " tests", " test,", " passing", " failing", " pending", " specs", " doctests", " failure"):
		return true
	case t[0] == '-' && len(t) <= 2, hasPrefix(t, "There were "), hasPrefix(t, "There was "):
		return true
	case first && b.phase == 0 && b.indent >= 4 && l.indent <= b.indent && !isTellingText(t) && !isFrame(l.raw):
		return true
	case b.indent > 1 && l.indent == 0 && b.phase == 1 && b.countBody() > 2 && !isTellingText(t):
		_, ok := readPlace(t)
		return !ok
	}
	return false
}

// continueTraceback takes the frames, the error, and the tracebacks that it was caused by.
func (b *Block) continueTraceback(l *line) bool {
	switch {
	case len(l.text) == 0:
		return b.phase > 0 && !b.blank
	case b.phase == 0:
		if l.indent <= b.indent && !hasAnyPrefix(l.text, "File \"", "+", "|") {
			b.phase = 1 // the error
			b.Kind = "traceback " + clipEnd(string(bytes.SplitN(l.text, []byte(":"), 2)[0]), 60)
		}
		return true
	case hasAnyPrefix(l.text, "During handling of", "The above exception"):
		b.phase = 1
		return true
	case hasPrefix(l.text, "Traceback (most") && b.blank:
		b.phase = 0
		return true
	}
	return !b.blank && l.indent > b.indent
}

// continuePanic takes the message and the goroutines of a Go panic.
func (b *Block) continuePanic(l *line) bool {
	t := l.text
	if len(t) == 0 {
		return true
	}
	if hasAnyPrefix(t, "FAIL", "ok  \t", "--- ", "=== ", "exit status", "make") {
		return false
	}
	if b.blank && b.phase > 0 && !hasAnyPrefix(t, "goroutine ", "created by ", "main.", "rax ", "runtime") {
		return false
	}
	if hasPrefix(t, "goroutine ") {
		b.phase = 1
	}
	return b.phase > 0 || b.blank || l.indent > 0 || len(b.Lines) < 8
}
