package report

import (
	"bytes"
	"strconv"
	"strings"

	"mulligan"
)

// pytest reads the sections FAILURES and ERRORS, the short summary, and the last line.
type pytest struct {
	list    list
	counts  mulligan.Counts
	known   bool
	section string // "failures", "errors", "summary"; "" outside
	cur     *found // of the block in a section of failures
}

func newPytest() *pytest { return &pytest{} }

func (p *pytest) report() (Report, bool) {
	r := Report{Runner: "pytest", Counts: p.counts}
	r.Failing, r.More = p.list.report()
	return r, p.known
}

func (p *pytest) line(line []byte) {
	if len(line) == 0 {
		return
	}
	switch c := line[0]; {
	case c == '=' && ruled(line, '='):
		p.title(bytes.Trim(line, "= "))
	case p.section == "summary":
		p.summed(line)
	case c >= '0' && c <= '9' && line[min(digits(line), len(line)-1)] == ' ', c == 'n':
		p.totals(line, true)
	case p.section == "":
	case c == '_' && ruled(line, '_'):
		p.block(string(bytes.Trim(line, "_ ")))
	case p.cur != nil:
		p.inside(line)
	}
}

// ruled says that a line is a title between rules: `=== FAILURES ===`.
func ruled(line []byte, c byte) bool {
	return len(line) > 8 && line[1] == c && line[len(line)-1] == c && bytes.IndexByte(line, ' ') > 0
}

func (p *pytest) title(t []byte) {
	p.cur = nil
	switch string(t) {
	case "test session starts":
		p.known, p.section = true, ""
	case "FAILURES":
		p.known, p.section = true, "failures"
	case "ERRORS":
		p.known, p.section = true, "errors"
	case "short test summary info":
		p.known, p.section = true, "summary"
	default:
		p.section = ""
		p.totals(t, false)
	}
}

// block begins `____ TestClass.test_name ____`.
func (p *pytest) block(title string) {
	name := strings.TrimPrefix(title, "ERROR collecting ")
	for _, phase := range []string{"ERROR at setup of ", "ERROR at teardown of "} {
		name = strings.TrimPrefix(name, phase)
	}
	if name == "" || strings.Trim(name, "_ ") == "" || strings.HasPrefix(name, ". ") { // `_ _ _ _` parts frames
		return
	}
	p.cur = p.list.add(name, "", "")
}

// inside reads a block: the lines of the error, and the places that lead to it. The
// last place is where it happened.
func (p *pytest) inside(line []byte) {
	if line[0] == 'E' && len(line) > 1 && (line[1] == ' ' || line[1] == '\t') {
		p.cur.message.add(line[1:])
		return
	}
	if line[0] == ' ' || line[0] == '>' {
		return
	}
	if place, rest, ok := cutPlace(line); ok && len(rest) > 0 && rest[0] == ' ' {
		p.cur.place = clip(string(place), maxName)
	}
}

// summed reads `FAILED tests/test_calc.py::test_add - assert 3 == 4`, which has the
// full name of what a block told.
func (p *pytest) summed(line []byte) {
	rest, ok := bytes.CutPrefix(line, []byte("FAILED "))
	if !ok {
		rest, ok = bytes.CutPrefix(line, []byte("ERROR "))
	}
	if !ok {
		if c := line[0]; c >= '0' && c <= '9' {
			p.totals(line, true)
		}
		return
	}
	name, message, _ := strings.Cut(head(rest), " - ")
	f := p.told(name)
	if f == nil {
		f = p.list.add(name, "", "")
	}
	f.name = clip(name, maxName)
	if f.message.empty() && message != "" {
		f.message.add([]byte(message))
	}
}

// told finds the block of a test by its full name: blocks have only the last part,
// with dots where the name has colons.
func (p *pytest) told(name string) *found {
	file, inner, ok := strings.Cut(name, "::")
	short := strings.ReplaceAll(inner, "::", ".")
	for _, f := range p.list.items {
		if ok && f.name == short || !ok && f.name == file {
			return f
		}
	}
	return nil
}

// totals reads `1 failed, 2 passed, 1 skipped in 0.12s`. Where the line stands by
// itself, as with -q, it has to be that from end to end.
func (p *pytest) totals(line []byte, bare bool) {
	if len(line) > 200 {
		return
	}
	body, seconds, ok := strings.Cut(string(line), " in ")
	if !ok || len(seconds) == 0 || seconds[0] < '0' || seconds[0] > '9' {
		return
	}
	if body == "no tests ran" || body == "no tests collected" {
		p.known = true
		return
	}
	counts, ok := pytestCounts(body)
	if !ok || bare && !strings.Contains(seconds, "s") {
		return
	}
	p.known, p.counts = true, add(p.counts, counts)
}

func pytestCounts(body string) (mulligan.Counts, bool) {
	var c mulligan.Counts
	for part := range strings.SplitSeq(body, ", ") {
		number, word, _ := strings.Cut(part, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return c, false
		}
		switch word {
		case "failed", "error", "errors":
			c.Failed += n
		case "passed", "xpassed":
			c.Passed += n
		case "skipped", "xfailed":
			c.Skipped += n
		case "deselected", "warning", "warnings", "rerun", "subtests passed":
		default:
			return c, false
		}
	}
	return c, true
}

func add(a, b mulligan.Counts) mulligan.Counts {
	return mulligan.Counts{Passed: a.Passed + b.Passed, Failed: a.Failed + b.Failed, Skipped: a.Skipped + b.Skipped}
}
