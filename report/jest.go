package report

import (
	"bytes"
	"strconv"
	"strings"

	"mulligan"
)

// jest reads jest's blocks, `● suite › test`, and its totals.
type jest struct {
	list   list
	counts mulligan.Counts
	known  bool
	file   string // of the last FAIL line
	cur    *found
	code   bool // the block's message is over: a code frame or a stack follows
}

func newJest() *jest { return &jest{} }

func (j *jest) report() (Report, bool) {
	r := Report{Runner: "jest", Counts: j.counts}
	r.Failing, r.More = j.list.report()
	return r, j.known
}

var (
	bullet     = []byte("●")
	jestTotals = []byte("Tests:")
)

func (j *jest) line(line []byte) {
	if len(line) == 0 {
		return
	}
	switch line[0] {
	case 'F', 'P':
		j.suite(line)
	case 'T':
		if rest, ok := bytes.CutPrefix(line, jestTotals); ok {
			j.totals(string(bytes.TrimSpace(rest[:min(len(rest), 200)])))
		}
	case ' ', bullet[0]:
		rest := bytes.TrimLeft(line, " ")
		if bytes.HasPrefix(rest, bullet) {
			j.block(head(bytes.TrimSpace(rest[len(bullet):])))
		} else if j.cur != nil {
			j.inside(rest)
		} else if len(rest) > 0 {
			j.suite(rest)
		}
	}
}

// suite reads `FAIL src/calc.test.js`.
func (j *jest) suite(line []byte) {
	fail := bytes.HasPrefix(line, []byte("FAIL "))
	if !fail && !bytes.HasPrefix(line, []byte("PASS ")) {
		return
	}
	name := strings.TrimSpace(head(line[5:]))
	if i := strings.LastIndex(name, " ("); i > 0 { // `(5.1 s)` after slow files
		name = name[:i]
	}
	j.cur, j.file = nil, ""
	if fail && strings.ContainsAny(name, "./") && !strings.Contains(name, " ") {
		j.file = name
	}
}

// block begins a failure. The summary of a long run tells each of them again.
func (j *jest) block(title string) {
	j.cur, j.code = nil, false
	if j.file == "" || title == "" || title == "Console" {
		return
	}
	if title == "Test suite failed to run" {
		title = j.file
	}
	if j.list.find(title, j.file) != nil {
		return
	}
	j.cur = j.list.add(title, j.file, j.file)
}

func (j *jest) inside(line []byte) {
	if place, ok := stackPlace(line); ok {
		j.code = true
		if j.cur.place == j.file && !strings.Contains(place, "node_modules/") && !strings.HasPrefix(place, "node:") {
			j.cur.place = clip(place, maxName)
		}
		return
	}
	j.code = j.code || codeFrame(line)
	if !j.code && len(line) > 0 {
		j.cur.message.add(line)
	}
}

// codeFrame recognises `> 11 |   expect(…)` and its neighbours.
func codeFrame(line []byte) bool {
	line = bytes.TrimLeft(line, "> ")
	rest := bytes.TrimLeft(line[digits(line):], " ")
	return len(rest) > 0 && rest[0] == '|'
}

// stackPlace reads the place in `at Object.<anonymous> (src/calc.test.js:11:22)`.
func stackPlace(line []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("at "))
	if !ok {
		return "", false
	}
	s := head(rest)
	if i := strings.LastIndexByte(s, '('); i >= 0 {
		s = strings.TrimSuffix(s[i+1:], ")")
	}
	s = strings.TrimPrefix(s, "file://")
	i := strings.IndexByte(s, ':')
	return s, i > 0 && i < len(s)-1 && !strings.Contains(s, " ")
}

// totals reads `1 failed, 1 skipped, 2 passed, 4 total`.
func (j *jest) totals(s string) {
	var c mulligan.Counts
	total := false
	for part := range strings.SplitSeq(s, ", ") {
		number, word, _ := strings.Cut(part, " ")
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
		case "total":
			total = true
		}
	}
	if total {
		j.known, j.cur, j.file = true, nil, ""
		j.counts = add(j.counts, c)
	}
}
