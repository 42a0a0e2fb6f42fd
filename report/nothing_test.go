package report

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readThoroughly is Line without its skipping.
func (s *Scanner) readThoroughly(line []byte) {
	if len(line) > 0 {
		for _, f := range s.formats() {
			f.readLine(line)
		}
		s.plain.readLine(line)
	}
}

// hasTelltale reports whether one of Telltales stands in a line.
func hasTelltale(line []byte) bool {
	return slices.ContainsFunc(Telltales(), func(places []string) bool {
		return bytes.Contains(line, []byte(strings.Join(places, ""))) // each has one byte at each place
	})
}

// checkSkipping compares what is found of an output with what is found without skipping lines, and the states of
// all formats after every line.
func checkSkipping(t *testing.T, name string, output []byte) {
	t.Helper()
	quick, thorough := New(), New()
	for line := range bytes.Lines(output) {
		line = bytes.TrimRight(line, "\r\n")
		plain := !hasTelltale(line)
		before := quick.awaitsStart() && len(line) > 0 && quick.startsNothing(line, plain)
		if plain {
			quick.PlainLine(line)
		} else {
			quick.Line(line)
		}
		thorough.readThoroughly(line)
		if before && !reflect.DeepEqual(quick, thorough) {
			t.Fatalf("%s: a line that was skipped tells something: %q", name, line)
		}
	}
	if got, want := quick.Report(), thorough.Report(); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got  %+v\nwant %+v", name, got, want)
	}
}

// Lines are skipped only if no format would have read anything in them.
func TestLinesAreSkippedThatTellNothing(t *testing.T) {
	skipped := New()
	for _, line := range []string{
		"compiling the unit", "   12 compiling the unit", "Downloading the world", "  some words", "2026-01-05 10:00:01 took a job",
	} {
		if !skipped.startsNothing([]byte(line), false) {
			t.Errorf("%q is not skipped", line)
		}
	}
	files, err := filepath.Glob("../feedback/testdata/corpus/*/*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files of the corpus, %v", len(files), err)
	}
	lines := 0
	for _, file := range files {
		output, err := os.ReadFile(file)
		if err != nil {
			continue // a folder
		}
		lines += bytes.Count(output, []byte("\n"))
		if len(output) > 200<<10 {
			output = output[:200<<10]
		}
		checkSkipping(t, file, output)
		checkSkipping(t, file+", indented", []byte("  "+strings.ReplaceAll(string(output), "\n", "\n  ")))
	}
	if lines < 1000 {
		t.Errorf("the corpus has %d lines", lines)
	}
}

func FuzzLine(f *testing.F) {
	for _, text := range []string{
		"12 passed in 3s\n1..3\nok 1\n3 tests, 1 failure\n 12 pass\n", "# pkg\nvet: a.go:3:4: text\n\thave\nx\n", "panic: x\ngoroutine 1\nmain.f()\n\ta.go:1\n",
		"error: x\n --> a.rs:1:2\nTypeError: y\n", "test result: ok. 1 passed; 0 failed\n", "Traceback (most recent call last):\n  File \"a\", line 1\nE: x\n",
		"FAIL src/a.test.js\n  ● a › b\n\n    text\n", " FAIL  a.ts > b\nmessage\n Tests  1 failed (1)\n", "100% tests passed, 0 tests failed out of 3\n", "Terror.go:1:2: x\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, output []byte) { checkSkipping(t, "fuzz", output) })
}
