package report

import (
	"bytes"
	"strings"
)

// A vitest reads ` FAIL  file > suite > test` with what follows, and the totals.
type vitest struct {
	tally
	cur  *failure
	code bool // the message is over: a diff of code or a stack follows
}

var (
	vitestRule  = []byte("⎯⎯⎯")
	vitestArrow = []byte("❯ ")
)

func (v *vitest) readLine(line []byte) {
	if line[0] == 'N' && bytes.HasPrefix(line, []byte("No test files found, exiting with code 0")) {
		v.known, v.counted = true, true
	}
	if line[0] == ' ' {
		rest := bytes.TrimLeft(line, " ")
		switch {
		case bytes.HasPrefix(rest, []byte("FAIL  ")):
			v.beginFailure(string(rest[6:min(len(rest), maxTitle)]))
			return
		case bytes.HasPrefix(rest, []byte("Tests  ")):
			v.readTotals(string(bytes.TrimSpace(rest[7:min(len(rest), 200)])))
			return
		case bytes.HasPrefix(rest, []byte("RUN  v")):
			v.known = true
			return
		}
	}
	if v.cur != nil {
		v.readFailureLine(line)
	}
}

// beginFailure begins a failing test, or a file that could not be loaded:
// ` FAIL  src/calc.test.ts [ src/calc.test.ts ]`. Tests that fail alike share one
// message, which the last of them has.
func (v *vitest) beginFailure(title string) {
	v.cur, v.code = nil, false
	file, _, test := strings.Cut(title, " > ")
	name, _, broken := strings.Cut(title, " [ ")
	if !test && !broken {
		return
	}
	file = strings.TrimSpace(file)
	if i := strings.LastIndex(file, "|"); i >= 0 { // `|project| file`
		file = strings.TrimSpace(file[i+1:])
	}
	if broken && !test {
		file = name
	}
	if v.list.findItem(name, "") == nil {
		v.cur = v.list.addItem(name, "", file)
	}
}

func (v *vitest) readFailureLine(line []byte) {
	rest := bytes.TrimLeft(line, " ")
	switch {
	case bytes.HasPrefix(rest, vitestRule):
		v.cur = nil
	case bytes.HasPrefix(rest, vitestArrow):
		v.code = true
		v.setPlace(clipLine(rest[len(vitestArrow):]))
	case v.code || len(rest) == 0:
	default:
		v.code = isVitestFrame(rest)
		if !v.code {
			v.cur.message.addLine(line)
		}
	}
}

// setPlace sets the first place of the stack that is the user's: `src/calc.test.ts:11:22`,
// or `name src/calc.ts:3:9`.
func (v *vitest) setPlace(s string) {
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		s = s[i+1:]
	}
	if strings.Contains(v.cur.place, ":") || !strings.Contains(s, ":") || strings.Contains(s, "node_modules/") {
		return
	}
	v.cur.place = clipBytes(s, maxName)
}

// isVitestFrame reports whether a line is of a code frame: `     11|   expect(…)`.
func isVitestFrame(line []byte) bool {
	n := countDigits(line)
	return n > 0 && n < len(line) && line[n] == '|'
}

// readTotals reads `1 failed | 2 passed | 1 skipped (4)`.
func (v *vitest) readTotals(s string) {
	body, _, ok := strings.Cut(s, " (")
	if !ok {
		return
	}
	if n, ok := readCounts(body, " | "); ok {
		v.cur = nil
		v.addTotals(n)
	}
}
