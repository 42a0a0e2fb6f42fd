package report

import (
	"bytes"
	"strings"
)

// A jest reads jest's blocks, `● suite › test`, and its totals.
type jest struct {
	tally
	file string // of the last FAIL line
	cur  *failure
	code bool // the block's message is over: a code frame or a stack follows
}

var jestBullet = []byte("●")

func (j *jest) readLine(line []byte) {
	switch line[0] {
	case 'N':
		if bytes.HasPrefix(line, []byte("No tests found, exiting with code 0")) {
			j.known, j.counted = true, true
		}
	case 'F', 'P':
		j.readSuite(line)
	case 'T':
		if rest, ok := bytes.CutPrefix(line, []byte("Tests:")); ok {
			j.readTotals(string(bytes.TrimSpace(rest[:min(len(rest), 200)])))
		}
	case ' ', jestBullet[0]:
		rest := bytes.TrimLeft(line, " ")
		if bytes.HasPrefix(rest, jestBullet) {
			j.beginBlock(clipTitle(bytes.TrimSpace(rest[len(jestBullet):])))
		} else if j.cur != nil {
			j.readBlockLine(rest)
		} else if len(rest) > 0 {
			j.readSuite(rest)
		}
	}
}

// readSuite reads `FAIL src/calc.test.js`.
func (j *jest) readSuite(line []byte) {
	fail := bytes.HasPrefix(line, []byte("FAIL "))
	if !fail && !bytes.HasPrefix(line, []byte("PASS ")) {
		return
	}
	name := strings.TrimSpace(clipLine(line[5:]))
	if i := strings.LastIndex(name, " ("); i > 0 { // `(5.1 s)` after slow files
		name = name[:i]
	}
	j.cur, j.file = nil, ""
	if fail && strings.ContainsAny(name, "./") && !strings.Contains(name, " ") {
		j.file = name
	}
}

// beginBlock begins a failure. The summary of a long run repeats each of them.
func (j *jest) beginBlock(title string) {
	j.cur, j.code = nil, false
	if j.file == "" || title == "" || title == "Console" {
		return
	}
	if title == "Test suite failed to run" {
		title = j.file
	}
	if j.list.findItem(title, j.file) != nil {
		return
	}
	j.cur = j.list.addItem(title, j.file, j.file)
}

func (j *jest) readBlockLine(line []byte) {
	if place, ok := readStackPlace(line); ok {
		j.code = true
		if j.cur.place == j.file && !strings.Contains(place, "node_modules/") && !strings.HasPrefix(place, "node:") {
			j.cur.place = clipBytes(place, maxName)
		}
		return
	}
	j.code = j.code || isCodeFrame(line)
	if !j.code && len(line) > 0 {
		j.cur.message.addLine(line)
	}
}

// isCodeFrame reports whether a line is of a code frame: `> 11 |   expect(…)` and its neighbours.
func isCodeFrame(line []byte) bool {
	line = bytes.TrimLeft(line, "> ")
	rest := bytes.TrimLeft(line[countDigits(line):], " ")
	return len(rest) > 0 && rest[0] == '|'
}

// readStackPlace reads the place in `at Object.<anonymous> (src/calc.test.js:11:22)`.
func readStackPlace(line []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("at "))
	if !ok {
		return "", false
	}
	s := clipLine(rest)
	if i := strings.LastIndexByte(s, '('); i >= 0 {
		s = strings.TrimSuffix(s[i+1:], ")")
	}
	s = strings.TrimPrefix(s, "file://")
	i := strings.IndexByte(s, ':')
	return s, i > 0 && i < len(s)-1 && !strings.Contains(s, " ")
}

// readTotals reads `1 failed, 1 skipped, 2 passed, 4 total`.
func (j *jest) readTotals(s string) {
	n, ok := readCounts(s, ", ")
	if _, total := n["total"]; ok && total {
		j.cur, j.file = nil, ""
		j.addTotals(n)
	}
}
