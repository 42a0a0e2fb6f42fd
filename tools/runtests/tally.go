package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A tally counts the results of go test. Only leaves count: a test with subtests is counted by
// them, unless it failed and none of them did.
type tally struct {
	passed  int
	passing []string // package and test
	failing []string // likewise; the package alone if no test is to blame
	flaky   []string // tests that failed, and passed when they ran again
	leftOut []leftOut
	raced   bool // the race detector has spoken
}

// A leftOut is something that a test did not do, and why.
type leftOut struct{ pkg, test, why string }

// An event is a line of go test -json (see `go doc test2json`).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

// A packageRun holds what is known of a package whose tests run.
type packageRun struct {
	output   map[string][]string // of each test that runs, "" for the package's own
	children map[string]bool     // tests that have subtests
	failed   map[string]bool     // tests that failed, or have a subtest that did
}

// leftOutLine matches a line in which a test says what it left out of itself.
var leftOutLine = regexp.MustCompile(`^(?:\s*\S+\.go:\d+: )?left out: (.+)`)

// read reads go test -json to its end. It prints the output of failed tests alone.
func (t *tally) read(in io.Reader, out io.Writer) error {
	packages := map[string]*packageRun{}
	dec := json.NewDecoder(in)
	for {
		var e event
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			// The rest of the pipe is drained so that go test can end.
			io.Copy(io.Discard, in)
			return err
		}
		if e.Action == "build-output" {
			fmt.Fprint(out, e.Output)
			continue
		}
		p := packages[e.Package]
		if p == nil {
			p = &packageRun{output: map[string][]string{}, children: map[string]bool{}, failed: map[string]bool{}}
			packages[e.Package] = p
		}
		t.addEvent(e, p, out)
	}
}

// addEvent counts an event and prints the output of a test that failed.
func (t *tally) addEvent(e event, p *packageRun, out io.Writer) {
	switch e.Action {
	case "output":
		p.output[e.Test] = append(p.output[e.Test], e.Output)
		t.raced = t.raced || strings.Contains(e.Output, "DATA RACE") || strings.Contains(e.Output, "race detected during execution")
		if found := leftOutLine.FindStringSubmatch(e.Output); found != nil {
			t.leftOut = append(t.leftOut, leftOut{e.Package, e.Test, found[1]})
		}
		return
	case "run":
		if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
			p.children[e.Test[:i]] = true
		}
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	lines := p.output[e.Test]
	delete(p.output, e.Test)
	if e.Test == "" {
		t.endPackage(e, p, lines, out)
		return
	}
	switch e.Action {
	case "pass":
		t.passing = append(t.passing, e.Package+" "+e.Test)
		if !p.children[e.Test] {
			t.passed++
		}
	case "skip":
		t.leftOut = append(t.leftOut, leftOut{e.Package, e.Test, skipReason(lines)})
	case "fail":
		fmt.Fprint(out, strings.Join(lines, ""))
		t.countFailure(e, p)
	}
}

// countFailure counts a failed test once; go reports a subtest before its parent.
func (t *tally) countFailure(e event, p *packageRun) {
	if !p.failed[e.Test] {
		t.failing = append(t.failing, e.Package+" "+e.Test)
	}
	p.failed[""] = true
	for name := e.Test; name != ""; name = name[:max(0, strings.LastIndexByte(name, '/'))] {
		p.failed[name] = true
	}
}

// endPackage counts a package that failed without a failed test: it did not build, it panicked, or
// it ran out of time.
func (t *tally) endPackage(e event, p *packageRun, lines []string, out io.Writer) {
	switch e.Action {
	case "pass":
		took := fmt.Sprintf("%6.1fs", e.Elapsed)
		if strings.Contains(strings.Join(lines, ""), "(cached)") {
			took = " cached"
		}
		fmt.Fprintf(out, "  ok  %-36s %s\n", e.Package, took)
	case "fail":
		if !p.failed[""] {
			for _, unfinished := range p.output {
				fmt.Fprint(out, strings.Join(unfinished, ""))
			}
			t.failing = append(t.failing, e.Package)
		}
		fmt.Fprint(out, strings.Join(lines, ""))
	}
}

// add adds the results of another tally.
func (t *tally) add(other *tally) {
	t.passed += other.passed
	t.passing = append(t.passing, other.passing...)
	t.failing = append(t.failing, other.failing...)
	t.leftOut = append(t.leftOut, other.leftOut...)
	t.raced = t.raced || other.raced
}

// listLeftOut returns a line for each reason that a package gives for what it left out.
func (t *tally) listLeftOut() []string {
	type reason struct{ pkg, why string }
	tests := map[reason][]string{}
	var order []reason
	for _, l := range t.leftOut {
		r := reason{l.pkg, l.why}
		if tests[r] == nil {
			order = append(order, r)
		}
		if !slices.Contains(tests[r], l.test) {
			tests[r] = append(tests[r], l.test)
		}
	}
	var lines []string
	for _, r := range order {
		names := tests[r]
		if more := len(names) - 3; more > 0 {
			names = append(names[:3:3], fmt.Sprintf("and %d more", more))
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", r.pkg, strings.Join(names, ", "), r.why))
	}
	return lines
}

// skipReason returns what a skipped test printed, without go test's own lines and the place.
func skipReason(lines []string) string {
	var said []string
	for line := range strings.Lines(strings.Join(lines, "")) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = append(said, place.ReplaceAllString(line, ""))
		}
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

// place matches where a test logged a line.
var place = regexp.MustCompile(`^\S+\.go:\d+: `)
