package report

import (
	"bytes"
	"strings"
)

// noTests are the lines in which runners tell that they ran nothing, each with its runner.
var noTests = []struct{ begins, runner string }{
	{"No tests executed!", "phpunit"},
	{"[INFO] No tests to run.", "surefire"},
	{"No tests to run.", "surefire"},
	{"No tests were found!!!", "ctest"},
	{"No test is available in ", "dotnet test"},
	{"Result: NOTESTS", "prove"},
	{"NO TESTS RAN", "unittest"},
}

// readNone reads a line in which a runner tells that it ran nothing.
func (t *totals) readNone(line []byte) {
	for _, n := range noTests {
		if bytes.HasPrefix(line, []byte(n.begins)) {
			t.add(n.runner, 0, 0, 0)
		}
	}
}

// readGradle reads `> Task :app:test NO-SOURCE`. Gradle does not count the tests that pass.
func (t *totals) readGradle(s string) {
	task, state, _ := strings.Cut(strings.TrimPrefix(s, "> Task :"), " ")
	if i := strings.LastIndexByte(task, ':'); i >= 0 {
		task = task[i+1:]
	}
	if task != "test" && !strings.HasSuffix(task, "Test") {
		return
	}
	switch state {
	case "NO-SOURCE":
		t.add("gradle", 0, 0, 0)
	case "", "UP-TO-DATE", "FROM-CACHE":
		t.uncounted = true
	}
}

// readWords reads the totals that begin with a word: prove's `Files=2, Tests=7, …` and deno's
// `ok | 3 passed | 0 failed (12ms)`.
func (t *totals) readWords(s string) {
	switch {
	case strings.HasPrefix(s, "Files=") && strings.Contains(s, ", Tests="):
		t.add("prove", readPairs(s, "=")["Tests"], 0, 0)
	case strings.HasPrefix(s, "ok | "), strings.HasPrefix(s, "FAILED | "):
		_, s, _ = strings.Cut(s, " | ")
		s, _, _ = strings.Cut(s, " (")
		if n, ok := readCounts(s, " | "); ok {
			t.add("deno test", n["passed"], n["failed"], n["ignored"])
		}
	}
}

// readCtest reads `100% tests passed, 0 tests failed out of 12`.
func (t *totals) readCtest(s string) {
	_, rest, ok := strings.Cut(s, "% tests passed, ")
	bad, all, ended := strings.Cut(rest, " tests failed out of ")
	if n := leadingNumber(all); ok && ended {
		t.add("ctest", n-leadingNumber(bad), leadingNumber(bad), 0)
	}
}
