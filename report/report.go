// Package report reads what test runners and compilers print and finds what failed: which
// tests, the first error of each, where, and how many. It reads a line at a time and keeps
// a bounded amount, whatever the size of the output.
package report

import (
	"strings"

	"mulligan"
)

// A Report is what was read from an output.
type Report struct {
	Runner  string          // whose format was recognised: "go test", "pytest"; "" for none
	Counts  mulligan.Counts // the runner's own totals; a runner that names only failures leaves Passed 0
	Failing []mulligan.Item // what failed, in the order of the output; bounded
	More    int             // how many more failed than Failing holds
	// Counted is set where Counts has every test that ran. Without it a runner named those that failed,
	// or none, and more may have run.
	Counted bool

	uncounted bool // a runner told that tests ran, and not how many
}

// A format recognises the output of one runner. It sees every line of every
// output, so it has to turn away what is not its own after a byte or two.
type format interface {
	readLine(line []byte) // the line is not empty
	// makeReport returns what was found, and reports whether the format was recognised at all.
	makeReport() (Report, bool)
}

// A Scanner reads an output line by line. It is not safe for concurrent use.
type Scanner struct {
	golang golang
	pytest pytest
	jest   jest
	vitest vitest
	totals totals
	tap    tap
	plain  plain
}

// New returns a Scanner that knows all formats.
func New() *Scanner {
	s := &Scanner{golang: golang{tests: map[testKey]*test{}}}
	s.pytest.runner, s.jest.runner, s.vitest.runner = "pytest", "jest", "vitest"
	return s
}

// formats returns the one list of known formats; the order is that of the report.
func (s *Scanner) formats() []format {
	return []format{&s.golang, &s.pytest, &s.jest, &s.vitest, &s.totals, &s.tap}
}

// Line takes the next line, without its newline and clean of escapes. The line
// is not retained.
func (s *Scanner) Line(line []byte) {
	if len(line) == 0 {
		return
	}
	s.golang.readLine(line)
	s.pytest.readLine(line)
	s.jest.readLine(line)
	s.vitest.readLine(line)
	s.totals.readLine(line)
	s.tap.readLine(line)
	s.plain.readLine(line)
}

// Report returns what the lines so far amount to. One command may run several runners: their
// counts are added up and their names joined. What the rules for unknown output found counts
// only if no known format had a failure.
func (s *Scanner) Report() Report {
	var all Report
	var runners []string
	for _, f := range s.formats() {
		r, ok := f.makeReport()
		if !ok {
			continue
		}
		runners = append(runners, r.Runner)
		all.merge(r)
	}
	all.Runner = strings.Join(runners, ", ")
	all.Counted = all.Counted && !all.uncounted
	if len(all.Failing) == 0 {
		r, _ := s.plain.makeReport()
		all.merge(r)
	}
	return all
}

func (r *Report) merge(o Report) {
	r.Counts = addCounts(r.Counts, o.Counts)
	r.Failing = append(r.Failing, o.Failing...)
	r.More += o.More
	r.Counted, r.uncounted = r.Counted || o.Counted, r.uncounted || o.uncounted
}
