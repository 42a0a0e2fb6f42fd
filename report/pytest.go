package report

import (
	"bytes"
	"slices"
	"strings"

	"mulligan"
)

// pytestSummary is the title of the short summary.
const pytestSummary = "short test summary info"

// A pytest reads the sections FAILURES and ERRORS, the short summary, and the last line.
type pytest struct {
	tally
	section string   // "FAILURES", "ERRORS" or pytestSummary; "" outside
	cur     *failure // of the block in a section of failures
}

func (p *pytest) readLine(line []byte) {
	switch c := line[0]; {
	case c == '=' && isTitle(line, '='):
		p.readTitle(bytes.Trim(line, "= "))
	case p.section == pytestSummary:
		p.readSummaryLine(line)
	case c >= '0' && c <= '9' && line[min(countDigits(line), len(line)-1)] == ' ', c == 'n':
		p.readTotals(line, true)
	case p.section == "":
	case c == '_' && isTitle(line, '_'):
		p.beginBlock(string(bytes.Trim(line, "_ ")))
	case p.cur != nil:
		p.readBlockLine(line)
	}
}

// isTitle reports whether a line is a title between rules: `=== FAILURES ===`. A long one has a single
// character of the rule on each side.
func isTitle(line []byte, c byte) bool {
	return len(line) > 8 && (line[1] == c || line[1] == ' ') && line[len(line)-1] == c && bytes.IndexByte(line, ' ') > 0
}

func (p *pytest) readTitle(t []byte) {
	p.cur, p.section = nil, ""
	switch title := string(t); title {
	case "test session starts":
		p.known = true
	case "FAILURES", "ERRORS", pytestSummary:
		p.known, p.section = true, title
	default:
		p.readTotals(t, false)
	}
}

// beginBlock begins `____ TestClass.test_name ____`.
func (p *pytest) beginBlock(title string) {
	name := title
	for _, phase := range []string{"ERROR collecting ", "ERROR at setup of ", "ERROR at teardown of "} {
		name = strings.TrimPrefix(name, phase)
	}
	if name == "" || strings.Trim(name, "_ ") == "" || strings.HasPrefix(name, ". ") { // `_ _ _ _` parts frames
		return
	}
	p.cur = p.list.addItem(name, "", "")
}

// readBlockLine reads a block: the lines of the error, and the places that lead to it. The
// last place is where it happened.
func (p *pytest) readBlockLine(line []byte) {
	if line[0] == 'E' && len(line) > 1 && (line[1] == ' ' || line[1] == '\t') {
		p.cur.message.addLine(line[1:])
		return
	}
	if line[0] == ' ' || line[0] == '>' {
		return
	}
	if place, rest, ok := cutPlace(line); ok && len(rest) > 0 && rest[0] == ' ' {
		p.cur.place = clipBytes(string(place), maxName)
	}
}

// readSummaryLine reads `FAILED tests/test_calc.py::test_add - assert 3 == 4`, which has the
// full name of what a block describes.
func (p *pytest) readSummaryLine(line []byte) {
	rest, ok := bytes.CutPrefix(line, []byte("FAILED "))
	if !ok {
		rest, ok = bytes.CutPrefix(line, []byte("ERROR "))
	}
	if !ok {
		if c := line[0]; c >= '0' && c <= '9' {
			p.readTotals(line, true)
		}
		return
	}
	name, message, _ := strings.Cut(clipLine(rest), " - ")
	f := p.findBlock(name)
	if f == nil {
		f = p.list.addItem(name, "", "")
	}
	f.name = clipBytes(name, maxName)
	if f.message.isEmpty() && message != "" {
		f.message.addLine([]byte(message))
	}
}

// findBlock returns the block of a test by its full name, or nil if there is none. Blocks have
// only the last part of a name, with dots where the name has colons.
func (p *pytest) findBlock(name string) *failure {
	if _, inner, ok := strings.Cut(name, "::"); ok {
		name = strings.ReplaceAll(inner, "::", ".")
	}
	return p.list.findItem(name, "")
}

// readTotals reads `1 failed, 2 passed, 1 skipped in 0.12s`. Where the line stands by
// itself, as with -q, it has to be that from end to end.
func (p *pytest) readTotals(line []byte, bare bool) {
	if len(line) > 200 {
		return
	}
	body, seconds, ok := strings.Cut(string(line), " in ")
	if !ok || len(seconds) == 0 || seconds[0] < '0' || seconds[0] > '9' {
		return
	}
	if body == "no tests ran" || body == "no tests collected" {
		p.known, p.counted = true, true
		return
	}
	n, ok := readCounts(body, ", ")
	if !ok || bare && !strings.Contains(seconds, "s") {
		return
	}
	for word := range n {
		if !slices.Contains(pytestWords, word) {
			return
		}
	}
	p.known, p.counted = true, true
	p.counts = addCounts(p.counts, mulligan.Counts{
		Passed: n["passed"] + n["xpassed"], Failed: n["failed"] + n["error"] + n["errors"], Skipped: n["skipped"] + n["xfailed"],
	})
}

// pytestWords are all that pytest counts.
var pytestWords = []string{
	"passed", "xpassed", "failed", "error", "errors", "skipped", "xfailed",
	"deselected", "warning", "warnings", "rerun", "subtests passed",
}
