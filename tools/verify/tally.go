package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A tally counts the results of go test. Only leaves count: a test with subtests is counted by
// them, unless it failed and none of them did.
type tally struct {
	passed, failed int
	passing        []string // package and test
	failing        []string // likewise
	skips          []string // package, test and reason
	raced          bool     // the race detector has spoken
}

// An event is a line of go test -json (see `go doc test2json`).
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build-output
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// A packageRun holds what is known of a package whose tests run.
type packageRun struct {
	output   map[string][]string // of each test that runs, "" for the package's own
	children map[string]bool     // tests that have subtests
	failed   map[string]bool     // tests that failed, or have a subtest that did
}

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
			return fmt.Errorf("go test -json: %w", err)
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
		return
	case "run":
		if parent, _, ok := splitParent(e.Test); ok {
			p.children[parent] = true
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
		t.skips = append(t.skips, fmt.Sprintf("%s %s: %s", e.Package, e.Test, skipReason(lines)))
	case "fail":
		fmt.Fprint(out, strings.Join(lines, ""))
		t.countFailure(e, p)
	}
}

// countFailure counts a failed test once; go reports a subtest before its parent.
func (t *tally) countFailure(e event, p *packageRun) {
	if !p.failed[e.Test] {
		t.addFailure(e.Package + " " + e.Test)
	}
	p.failed[""] = true
	for name, ok := e.Test, true; ok; {
		p.failed[name] = true
		name, _, ok = splitParent(name)
	}
}

// endPackage counts a package that failed without a failed test: it did not build, it panicked, or
// it ran out of time.
func (t *tally) endPackage(e event, p *packageRun, lines []string, out io.Writer) {
	if e.Action == "fail" && !p.failed[""] {
		for _, unfinished := range p.output {
			fmt.Fprint(out, strings.Join(unfinished, ""))
		}
		t.addFailure(e.Package)
	}
	if e.Action == "fail" {
		fmt.Fprint(out, strings.Join(lines, ""))
		return
	}
	if e.Action == "pass" {
		fmt.Fprintf(out, "  ok  %-36s %6.1fs\n", e.Package, e.Elapsed)
	}
}

func (t *tally) addFailure(name string) {
	t.failed++
	t.failing = append(t.failing, name)
}

// add adds the results of another tally.
func (t *tally) add(other *tally) {
	t.passed += other.passed
	t.failed += other.failed
	t.passing = append(t.passing, other.passing...)
	t.failing = append(t.failing, other.failing...)
	t.skips = append(t.skips, other.skips...)
	t.raced = t.raced || other.raced
}

// hasPassed reports whether a test, package and name, has passed.
func (t *tally) hasPassed(name string) bool { return slices.Contains(t.passing, name) }

// skipReason returns what a skipped test printed, without go test's own lines.
func skipReason(lines []string) string {
	var said []string
	for line := range strings.Lines(strings.Join(lines, "")) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

// splitParent splits a subtest's name at its last slash.
func splitParent(test string) (parent, name string, ok bool) {
	i := strings.LastIndexByte(test, '/')
	if i < 0 {
		return "", test, false
	}
	return test[:i], test[i+1:], true
}
