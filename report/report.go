// Package report reads what test runners and compilers print and says what
// failed: which tests, the first error of each, where, and how many. It reads a
// line at a time and keeps a bounded amount, whatever the size of the output.
package report

import (
	"strings"

	"mulligan"
)

// A Report is what an output says.
type Report struct {
	Runner  string          // whose format was recognised: "go test", "pytest"; "" for none
	Counts  mulligan.Counts // what the runner said it did; a runner that names only failures leaves Passed 0
	Failing []mulligan.Item // what failed, in the order of the output; bounded
	More    int             // how many more failed than Failing holds
}

// A format recognises the output of one runner. It sees every line of every
// output, so it has to turn away what is not its own after a byte or two.
type format interface {
	line(line []byte)
	// report says what was found, and whether the format was recognised at all.
	report() (Report, bool)
}

// formats is the one list of known formats; the order is that of the report.
func formats() []format {
	return []format{newGolang(), newPytest(), newJest(), newVitest()}
}

// A Scanner reads an output line by line. It is not safe for concurrent use.
type Scanner struct {
	formats []format
	plain   *plain
}

// New makes a Scanner that knows all formats.
func New() *Scanner {
	return &Scanner{formats: formats(), plain: newPlain()}
}

// Line takes the next line, without its newline and clean of escapes. The line
// is not retained.
func (s *Scanner) Line(line []byte) {
	for _, f := range s.formats {
		f.line(line)
	}
	s.plain.line(line)
}

// Report says what the lines so far amount to. One command may run several
// runners: their counts are added up and their names joined. What the rules for
// unknown output found counts only where no known format had a failure.
func (s *Scanner) Report() Report {
	var all Report
	var runners []string
	for _, f := range s.formats {
		r, ok := f.report()
		if !ok {
			continue
		}
		runners = append(runners, r.Runner)
		all.add(r)
	}
	all.Runner = strings.Join(runners, ", ")
	if len(all.Failing) == 0 {
		r, _ := s.plain.report()
		all.add(r)
	}
	return all
}

func (r *Report) add(o Report) {
	r.Counts.Passed += o.Counts.Passed
	r.Counts.Failed += o.Counts.Failed
	r.Counts.Skipped += o.Counts.Skipped
	r.Failing = append(r.Failing, o.Failing...)
	r.More += o.More
}
