package report

import (
	"bytes"
	"strconv"
	"strings"

	"mulligan"
)

// vitest reads ` FAIL  file > suite > test` with what follows, and the totals.
type vitest struct {
	list   list
	counts mulligan.Counts
	known  bool
	cur    *found
	code   bool // the message is over: a diff of code or a stack follows
}

func newVitest() *vitest { return &vitest{} }

func (v *vitest) report() (Report, bool) {
	r := Report{Runner: "vitest", Counts: v.counts}
	r.Failing, r.More = v.list.report()
	return r, v.known
}

var (
	rule  = []byte("⎯⎯⎯")
	arrow = []byte("❯ ")
)

func (v *vitest) line(line []byte) {
	if len(line) == 0 {
		return
	}
	if line[0] == ' ' {
		rest := bytes.TrimLeft(line, " ")
		switch {
		case bytes.HasPrefix(rest, []byte("FAIL  ")):
			v.failed(head(rest[6:]))
			return
		case bytes.HasPrefix(rest, []byte("Tests  ")):
			v.totals(string(bytes.TrimSpace(rest[7:min(len(rest), 200)])))
			return
		case bytes.HasPrefix(rest, []byte("RUN  v")):
			v.known = true
			return
		}
	}
	if v.cur != nil {
		v.inside(line)
	}
}

// failed begins a failing test, or a file that could not be loaded:
// ` FAIL  src/calc.test.ts [ src/calc.test.ts ]`. Tests that fail alike share one
// message, which the last of them carries.
func (v *vitest) failed(title string) {
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
	if v.list.find(clip(name, maxName), "") == nil {
		v.cur = v.list.add(name, "", file)
	}
}

func (v *vitest) inside(line []byte) {
	rest := bytes.TrimLeft(line, " ")
	switch {
	case bytes.HasPrefix(rest, rule):
		v.cur = nil
	case bytes.HasPrefix(rest, arrow):
		v.code = true
		v.place(head(rest[len(arrow):]))
	case v.code || len(rest) == 0:
	default:
		v.code = vitestFrame(rest)
		if !v.code {
			v.cur.message.add(line)
		}
	}
}

// place takes the first place of the stack that is the user's: `src/calc.test.ts:11:22`,
// or `name src/calc.ts:3:9`.
func (v *vitest) place(s string) {
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		s = s[i+1:]
	}
	if strings.Contains(v.cur.place, ":") || !strings.Contains(s, ":") || strings.Contains(s, "node_modules/") {
		return
	}
	v.cur.place = clip(s, maxName)
}

// vitestFrame recognises `     11|   expect(…)`.
func vitestFrame(line []byte) bool {
	n := digits(line)
	return n > 0 && n < len(line) && line[n] == '|'
}

// totals reads `1 failed | 2 passed | 1 skipped (4)`.
func (v *vitest) totals(s string) {
	body, _, ok := strings.Cut(s, " (")
	if !ok {
		return
	}
	var c mulligan.Counts
	for part := range strings.SplitSeq(body, " | ") {
		number, word, _ := strings.Cut(strings.TrimSpace(part), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return
		}
		switch word {
		case "failed":
			c.Failed += n
		case "passed":
			c.Passed += n
		case "skipped", "todo":
			c.Skipped += n
		}
	}
	v.known, v.cur = true, nil
	v.counts = add(v.counts, c)
}
