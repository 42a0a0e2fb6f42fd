package block

import (
	"bytes"
	"slices"
	"strings"
)

// What is remembered of tests that are not over yet.
const (
	maxLogs     = 1000
	maxLogLines = 60
	maxLogBytes = 8 << 10
	maxAllLogs  = 512 << 10
)

// testLogs holds what tests print before their result is known: `go test -v` and -json, and
// googletest.
type testLogs struct {
	pkg   string // of a -json event, "" in text
	logs  map[string]*testLog
	cur   *testLog // whose output comes
	size  int
	fails int // packages' failures that a test explains
}

type testLog struct {
	key   string
	lines []Line
	size  int
	left  int
}

func (t *testLogs) find(name []byte) *testLog {
	if t.pkg == "" {
		if g := t.logs[string(name)]; g != nil {
			return g
		}
	}
	key := t.keyOf(name)
	if g := t.logs[key]; g != nil {
		return g
	}
	if len(t.logs) >= maxLogs {
		return &testLog{}
	}
	g := &testLog{key: key}
	t.logs[key] = g
	return g
}

func (t *testLogs) keyOf(name []byte) string {
	if t.pkg == "" {
		return string(name)
	}
	return t.pkg + "\x00" + string(name)
}

// take returns the log of a test that is over.
func (t *testLogs) take(name []byte) *testLog {
	key := t.keyOf(name)
	g := t.logs[key]
	if g == nil {
		return nil
	}
	t.size -= g.size
	delete(t.logs, key)
	if t.cur == g {
		t.cur = nil
	}
	return g
}

func (t *testLogs) addLine(g *testLog, l *line) {
	text := clipMiddle(l.raw, maxLine)
	n := len(text) + 48
	if len(g.lines) >= maxLogLines || g.size > maxLogBytes {
		// The first lines and the last ones: some tests log before they fail.
		old := maxLogLines / 3 % len(g.lines)
		g.size -= len(g.lines[old].Text) + 48
		t.size -= len(g.lines[old].Text) + 48
		g.lines = slices.Delete(g.lines, old, old+1)
		g.left++
	}
	if t.size > maxAllLogs {
		g.left++
		return
	}
	g.lines = append(g.lines, Line{Text: text, At: l.at})
	g.size += n
	t.size += n
}

// readTestLog reads the lines by which runners announce tests and their results, and holds what
// the tests print in between. It reports whether the line is done with.
func (s *Scanner) readTestLog(l *line) bool {
	t := l.text
	if len(t) > 4 {
		switch {
		case t[0] == '=' && hasPrefix(t, "=== "):
			if s.readAnnouncement(t[4:]) {
				return true
			}
		case t[0] == '-' && hasPrefix(t, "--- "):
			if s.readGoResult(l) {
				return true
			}
		case t[0] == '[':
			if s.readGoogleResult(l) {
				return true
			}
		}
	}
	if s.tests.cur == nil {
		return false
	}
	if l.indent == 0 && endsTestLog(t) {
		s.tests.cur = nil
		return false
	}
	s.tests.addLine(s.tests.cur, l)
	return true
}

// endsTestLog reports whether a line is not a test's own: a panic, the package's result.
func endsTestLog(t []byte) bool {
	if len(t) < 2 {
		return false
	}
	switch t[0] {
	case 'p', 'f', 'F', 'o', 'P', '?', 'e', '[', 'W', '=':
		return hasAnyPrefix(t, "panic: ", "fatal error: ", "FAIL", "ok  \t", "PASS", "?   \t", "exit status", "[----", "[====", "WARNING: DATA RACE", "==================")
	}
	return false
}

// readAnnouncement reads `=== RUN   TestA/sub` and its like.
func (s *Scanner) readAnnouncement(t []byte) bool {
	verb, name, ok := bytes.Cut(t, []byte(" "))
	if !ok {
		return false
	}
	switch string(verb) {
	case "RUN", "NAME", "CONT":
		s.closeBlock()
		s.tests.cur = s.tests.find(bytes.TrimSpace(name))
	case "PAUSE":
		s.closeBlock()
		s.tests.cur = nil
	default:
		return false
	}
	return true
}

// readGoResult reads `--- FAIL: TestA/sub (0.00s)`.
func (s *Scanner) readGoResult(l *line) bool {
	verb, name, ok := bytes.Cut(l.text[4:], []byte(": "))
	if !ok || len(verb) != 4 {
		return false
	}
	name = trimTiming(name)
	switch string(verb) {
	case "PASS", "SKIP":
		s.closeBlock()
		s.tests.take(name)
		return true
	case "FAIL":
	default:
		return false
	}
	s.dropParent(name)
	s.closeBlock()
	s.tests.fails++
	s.beginBlock(start{tier: Failure, kind: "go test", mode: goTest, name: []byte(s.tests.pkg + string(name))}, l)
	s.fillFromLog(s.tests.take(name))
	s.tests.cur = nil
	return true
}

// dropParent forgets a test of which nothing is known but that one of its subtests failed.
func (s *Scanner) dropParent(name []byte) {
	b := s.open
	if b == nil || b.mode != goTest || b.countBody() > 0 {
		return
	}
	parent := bytes.TrimPrefix(bytes.TrimSpace([]byte(b.Lines[b.start].Text)), []byte("--- FAIL: "))
	if p := trimTiming(parent); len(name) > len(p) && name[len(p)] == '/' && hasPrefix(name, string(p)) {
		s.open = nil
	}
}

func (s *Scanner) fillFromLog(g *testLog) {
	if g == nil {
		return
	}
	for _, x := range g.lines {
		s.open.addLine([]byte(x.Text), x.At)
	}
	s.open.Left += g.left
}

// readGoogleResult reads `[ RUN      ] A.B`, `[       OK ] A.B (0 ms)`, `[  FAILED  ] A.B (0 ms)`.
func (s *Scanner) readGoogleResult(l *line) bool {
	t := l.text
	if len(t) < 14 || t[11] != ']' && t[12] != ']' {
		return false
	}
	name := bytes.TrimSpace(t[13:])
	switch string(t[:12]) {
	case "[ RUN      ]":
		s.closeBlock()
		s.tests.cur = s.tests.find(name)
		return true
	case "[       OK ]", "[  SKIPPED ]":
		s.closeBlock()
		s.tests.take(trimTiming(name))
		return true
	case "[  FAILED  ]":
		id, _, _ := bytes.Cut(name, []byte(",")) // `A/0.B, where GetParam() = 3`
		g := s.tests.take(trimTiming(id))
		if g == nil {
			return false
		}
		s.closeBlock()
		s.beginBlock(start{tier: Failure, kind: "gtest", mode: decoded, name: append([]byte("[  FAILED  ] "), trimTiming(id)...)}, l)
		s.fillFromLog(g)
		s.closeBlock()
		return true
	}
	return false
}

// trimTiming takes off the time that a test took: `TestA (0.00s)`, `adds (12 ms)`.
func trimTiming(p []byte) []byte {
	p = bytes.TrimSpace(p)
	if len(p) < 4 || p[len(p)-1] != ')' {
		return p
	}
	i := bytes.LastIndexByte(p, '(')
	if i > 0 && i+1 < len(p) && isDigit(p[i+1]) && (p[len(p)-2] == 's' || p[len(p)-2] == 'm') {
		return bytes.TrimSpace(p[:i])
	}
	return p
}

// readGoEvent reads the text that an event carries, as that of its test.
func (s *Scanner) readGoEvent(e GoEvent, at int) {
	if string(e.Action) != "output" && string(e.Action) != "build-output" {
		return
	}
	if s.tests.pkg != string(e.Package) {
		s.closeBlock()
		s.tests.pkg = string(e.Package)
	}
	s.tests.cur = nil
	if len(e.Test) > 0 {
		if s.open != nil && s.open.mode == goTest && s.openTest != string(e.Test) {
			s.closeBlock()
		}
		s.openTest = string(e.Test)
		if s.open == nil {
			s.tests.cur = s.tests.find(e.Test)
		}
	}
	for out := range bytes.Lines(e.Output) {
		s.readText(line{raw: bytes.TrimRight(out, "\r\n"), at: at})
	}
}

// flushTestLogs makes a block of the test that was running when the output ended.
func (s *Scanner) flushTestLogs() {
	g := s.tests.cur
	if g == nil || len(g.lines) == 0 {
		return
	}
	name := []byte(g.key[strings.IndexByte(g.key, 0)+1:])
	b := &Block{Tier: Complaint, Kind: "unfinished", mode: decoded, Seq: s.seq, Left: g.left, key: hashText(hashSeed, name)}
	b.addLine(append([]byte("=== RUN   "), name...), 0)
	for _, x := range g.lines {
		b.addLine([]byte(x.Text), x.At)
	}
	b.seal()
	s.store.add(b)
}
