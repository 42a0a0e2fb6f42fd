package report

import (
	"bytes"

	"mulligan"
)

// A tap counts the results of the Test Anything Protocol, as bats and node-tap print them, once a plan
// (`1..3`) shows that it is one. What failed is found by the rules for unknown output.
type tap struct {
	planned bool
	totals  bool // the output counts them itself, and totals reads that
	counts  mulligan.Counts
}

func (t *tap) makeReport() (Report, bool) {
	known := t.planned && !t.totals
	if !known {
		return Report{}, false
	}
	return Report{Runner: "tap", Counts: t.counts, Counted: true}, true
}

func (t *tap) readLine(line []byte) {
	switch c := line[0]; {
	case c == '1' && bytes.HasPrefix(line, []byte("1..")):
		rest := bytes.TrimLeft(line[3:], "0123456789")
		t.planned = t.planned || len(rest) < len(line)-3 && (len(rest) == 0 || bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("#")))
	case c == 'o' && bytes.HasPrefix(line, []byte("ok ")):
		t.countResult(line[3:], &t.counts.Passed)
	case c == 'n' && bytes.HasPrefix(line, []byte("not ok ")):
		t.countResult(line[7:], &t.counts.Failed)
	case c == '#':
		t.totals = t.totals || bytes.HasPrefix(line, []byte("# pass ")) || bytes.HasPrefix(line, []byte("# fail "))
	}
}

// countResult counts a test. One that a directive skips, or that is still to be written, did not run.
func (t *tap) countResult(rest []byte, count *int) {
	n := countDigits(rest)
	if n == 0 || n < len(rest) && rest[n] != ' ' {
		return
	}
	rest = bytes.ToLower(rest)
	if bytes.Contains(rest, []byte("# skip")) || bytes.Contains(rest, []byte("# todo")) {
		count = &t.counts.Skipped
	}
	*count++
}
