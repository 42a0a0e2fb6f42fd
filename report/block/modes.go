package block

import (
	"bytes"
	"cmp"
	"regexp"
)

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

// A modeRule is what belongs to a block of a mode below its first line, and what ends it.
type modeRule struct {
	ends   func() *regexp.Regexp        // everything up to the line that it matches belongs to the block; nil for nothing
	blank  blanks                       // which blank lines do
	deeper bool                         // lines that are indented deeper do
	takes  func(b *Block, l *line) bool // which others do; nil for none
	rest   int                          // lines that begin no other block do, until it has so many
	most   int                          // lines that it has at most; 0 for maxSectionLines
}

// blanks are the blank lines that belong to a block.
type blanks uint8

const (
	noBlank blanks = iota
	oneBlank
	anyBlank
)

var modeRules = [...]modeRule{
	indented:    {blank: oneBlank, deeper: true, takes: takesCause, most: maxIndentedLines},
	bundle:      {blank: oneBlank, deeper: true, takes: takesCause, rest: 6},
	paragraph:   {deeper: true, takes: func(_ *Block, l *line) bool { return isCaret(l.raw) }, rest: 60},
	row:         {takes: func(b *Block, l *line) bool { return l.indent > b.indent+6 }},
	logLine:     {blank: oneBlank, takes: takesTrace},
	javaTrace:   {blank: oneBlank, takes: takesTrace, rest: 12},
	rustic:      {deeper: true, takes: takesNote, rest: 60},
	fileLine:    {deeper: true, takes: takesSource},
	traceback:   {blank: oneBlank, takes: takesTraceback},
	panicking:   {blank: anyBlank, takes: takesPanic},
	goTest:      {blank: oneBlank, takes: takesGoTest, most: maxIndentedLines},
	pytestBlock: {ends: lazily(pytestTitle + `|^==.* .*=$|^= .* =$`), most: maxIndentedLines},
	unittest:    {blank: anyBlank, takes: takesUnittest},
	jestBlock:   {blank: anyBlank, takes: takesJest, most: maxIndentedLines},
	vitestBlock: {blank: anyBlank, takes: takesVitest},
	numbered:    {blank: anyBlank, takes: takesNumbered},
	cargoTest:   {ends: lazily(`^(?:---- |failures:|test result:|successes:|error: test failed)`)},
	tap:         {deeper: true, takes: takesComment},
	dotnet:      {blank: anyBlank, takes: takesDotnet},
	sanitizer:   {blank: anyBlank, takes: takesSanitizer},
	valgrind:    {takes: func(_ *Block, l *line) bool { return l.raw[0] == '=' }},
	mavenBlock:  {takes: takesMaven},
	stage:       {ends: lazily(`^[ \t]*-{4,}$`)},
	diffBlock:   {takes: takesDiff, most: maxIndentedLines},
	decoded:     {},
}

// continueBlock reports whether the open block takes the line for sure.
func (s *Scanner) continueBlock(l *line) bool {
	b := s.open
	if len(b.Lines)+len(b.tail)+b.Left > cmp.Or(modeRules[b.mode].most, maxSectionLines) {
		return false
	}
	if b.mode == compiler {
		return s.continueCompiler(l)
	}
	take := modeRules[b.mode].belongs(b, l)
	if take {
		b.blank = len(l.text) == 0
		b.parted = b.parted || b.blank
		b.addLine(l.raw, l.at)
	}
	return take
}

func (m modeRule) belongs(b *Block, l *line) bool {
	switch {
	case m.ends != nil:
		return !m.ends().Match(l.body)
	case len(l.text) == 0:
		return m.blank == anyBlank || m.blank == oneBlank && !b.blank
	case m.deeper && l.indent > b.indent:
		return true
	}
	return m.takes != nil && m.takes(b, l)
}

// takeRest reports whether the open block takes a line that begins no other block.
func (s *Scanner) takeRest(l *line) bool {
	b := s.open
	take := len(b.Lines) < modeRules[b.mode].rest && (b.mode == bundle || !isResult().Match(l.text))
	switch b.mode {
	case compiler:
		return s.holdSource(l)
	case mavenBlock:
		take = b.Kind == "surefire"
	case javaTrace: // the rest of a message of several lines, before the frames
		take = take && !b.blank && !isFrame([]byte(b.Lines[len(b.Lines)-1].Text))
	default:
	}
	if take {
		b.addLine(l.raw, l.at)
	}
	return take
}

// isResult matches what tells of something that went well, or announces what is done next: it is
// not part of any message.
var isResult = lazily(`^(?:ok[ \t]|PASS|=== |--- |✓|✔|\[INFO\]|make|gcc |g\+\+ |cc |clang|[+>$] |==> |Compiling |test |FAIL)`)

func takesCause(b *Block, l *line) bool {
	return !b.blank && hasAnyPrefix(l.text, "Caused by:", "Call Stack")
}

func takesNote(_ *Block, l *line) bool {
	return isQuoted(l.text) || hasAnyPrefix(l.text, "note: ", "help: ")
}

var isCause = lazily(`^(?:Caused by:|Suppressed:|\.\.\. \d)`)

func takesTrace(b *Block, l *line) bool {
	if l.indent > b.indent && (!b.blank || isTellingText(l.raw) || b.mode == javaTrace && len(b.Lines) < 30) {
		return true
	}
	return isFrame(l.raw) || isCause().Match(l.text)
}

func takesDiff(_ *Block, l *line) bool {
	return bytes.IndexByte([]byte(" +-@\\\t"), l.raw[0]) >= 0 && !hasPrefix(l.raw, "--- ")
}

// takesSource takes the source that is quoted, and the error that follows it.
func takesSource(b *Block, l *line) bool {
	if isQuoted(l.text) || b.phase > 0 {
		return isQuoted(l.text)
	}
	b.phase = 1
	return hasPrefix(l.text, "Error:") || hasPrefix(l.text, "Warning") || isExceptionText(l.text)
}

// takesGoTest takes what the test logged, and the panic that follows its name.
func takesGoTest(b *Block, l *line) bool {
	if len(b.Lines) == b.start+1 && hasPrefix(l.text, "panic: ") {
		b.mode = panicking
		return true
	}
	return l.indent > b.indent && !hasPrefix(l.text, "--- ")
}

// takesComment reports whether a comment of TAP is about the block's test.
func takesComment(b *Block, l *line) bool {
	text := bytes.TrimLeft(l.text, "# ")
	if hasPrefix(text, "Failed test") {
		return len(b.Lines) == b.start+1 && hasPrefix(bytes.TrimSpace([]byte(b.Lines[b.start].Text)), "not ok")
	}
	return l.text[0] == '#' && !hasAnyPrefix(text, "Subtest", "Looks like")
}

var isSummaryEntry = lazily(`^\[ERROR\] *[^ :]+:\d`)

// takesMaven takes the further lines of what maven marks as an error.
func takesMaven(b *Block, l *line) bool {
	if hasPrefix(l.text, "[ERROR]") {
		return hasPrefix(l.text, "[ERROR]   ") && b.Kind != "surefire summary" && !isSummaryEntry().Match(l.text)
	}
	return l.text[0] != '[' && (b.Kind == "surefire" || l.indent > 0)
}

// takesUnittest takes all up to the second rule.
func takesUnittest(b *Block, l *line) bool {
	if l.indent == 0 && (isMadeOf(l.text, '=', 30) || isMadeOf(l.text, '-', 30)) {
		b.phase++
		return l.text[0] == '-' && b.phase == 1
	}
	return true
}

func takesJest(b *Block, l *line) bool {
	return l.indent > b.indent && (l.indent > 4 || !hasPrefix(l.text, "● "))
}

// takesVitest takes all up to a rule. Tests that fail alike share one message.
func takesVitest(b *Block, l *line) bool {
	if hasPrefix(l.text, "FAIL  ") {
		return b.countBody() == 0
	}
	return !hasAnyPrefix(l.text, "⎯⎯⎯", "Test Files ", "Tests  ")
}

var isDotnetEnd = lazily(`^(?:(?:Passed|Failed)!|Test Run )`)

func takesDotnet(b *Block, l *line) bool {
	next := l.indent == b.indent && hasAnyPrefix(l.text, "Passed ", "Failed ", "Skipped ")
	return l.indent >= b.indent && !next && !isDotnetEnd().Match(l.text)
}

func takesSanitizer(b *Block, l *line) bool {
	ended := b.phase > 0
	if hasPrefix(l.text, "SUMMARY: ") {
		b.phase = 1
	}
	return !ended && !hasPrefix(l.text, "ABORTING")
}

// What ends a failure that has a number, whatever its indentation, and if that is no deeper.
var (
	isNumberedEnd   = lazily(`^(?:✓|✔|√|Finished in|Failed examples:|FAILURES!|ERRORS!|Tests: |Rerun:|Ran |Summary|There w(?:ere|as) |-.?$)`)
	isNumberedTotal = lazily(`^\d+ (?:examples|example,|runs|run,|tests|test,|passing|failing|pending|specs|doctests|failure)`)
)

// takesNumbered takes all up to the next number or the totals. Mocha also numbers the failures in
// its list of all tests, where nothing about them follows.
func takesNumbered(b *Block, l *line) bool {
	t := l.text
	switch n := countDigits(t); {
	case n > 0 && hasPrefix(t[n:], ") ") && l.indent <= b.indent+2, isNumberedEnd().Match(t):
		return false
	case l.indent <= b.indent && isNumberedTotal().Match(t):
		return false
	case isTellingText(t):
		return true
	case len(b.Lines) == b.start+1 && b.indent >= 4 && l.indent <= b.indent:
		return isFrame(l.raw)
	case b.indent > 1 && l.indent == 0 && b.parted && b.countBody() > 2:
		_, ok := readPlace(t)
		return ok
	}
	return true
}

// takesTraceback takes the frames, the error, and the tracebacks that it was caused by.
func takesTraceback(b *Block, l *line) bool {
	switch {
	case b.phase == 0:
		if l.indent <= b.indent && !hasAnyPrefix(l.text, "File \"", "+", "|") {
			b.phase = 1 // the error
			name, _, _ := bytes.Cut(l.text, []byte(":"))
			b.Kind = "traceback " + clipEnd(string(name), 60)
		}
		return true
	case hasAnyPrefix(l.text, "During handling of", "The above exception"):
		return true
	case hasPrefix(l.text, "Traceback (most") && b.blank:
		b.phase = 0
		return true
	}
	return !b.blank && l.indent > b.indent
}

var (
	isPanicEnd = lazily(`^(?:FAIL|ok  \t|--- |=== |exit status|make)`)
	isPanicTop = lazily(`^(?:goroutine |created by |main\.|rax |runtime)`)
)

// takesPanic takes the message and the goroutines of a Go panic.
func takesPanic(b *Block, l *line) bool {
	if isPanicEnd().Match(l.text) || b.blank && b.phase > 0 && !isPanicTop().Match(l.text) {
		return false
	}
	if hasPrefix(l.text, "goroutine ") {
		b.phase = 1
	}
	return b.phase > 0 || b.blank || l.indent > 0 || len(b.Lines) < 8
}
