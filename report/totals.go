package report

import (
	"bytes"
	"strconv"
	"strings"

	"mulligan"
)

// A totals reads the lines in which runners count their tests. What failed is found by the rules
// for unknown output.
type totals struct {
	runners []string
	counts  mulligan.Counts
	ran     int             // unittest's and googletest's: how many ran, until it is known how many failed
	google  bool            // googletest's totals come
	mocha   bool            // mocha's totals come
	bun     mulligan.Counts // what bun has counted so far: the line that tells it is bun comes last

	uncounted bool // gradle ran tests, and counts only those that failed
}

func (t *totals) makeReport() (Report, bool) {
	t.settleRan()
	known := len(t.runners) > 0
	return Report{Runner: strings.Join(t.runners, ", "), Counts: t.counts, Counted: known, uncounted: t.uncounted}, known
}

func (t *totals) add(runner string, passed, failed, skipped int) {
	known := false
	for _, r := range t.runners {
		known = known || r == runner
	}
	if !known {
		t.runners = append(t.runners, runner)
	}
	t.counts = addCounts(t.counts, mulligan.Counts{Passed: max(passed, 0), Failed: failed, Skipped: skipped})
}

// settleRan counts the tests that ran as passed where nothing was said about failures.
func (t *totals) settleRan() {
	if t.ran > 0 {
		t.counts.Passed += t.ran
		t.ran = 0
	}
}

func (t *totals) readLine(line []byte) {
	if len(line) > 200 {
		return
	}
	rest := bytes.TrimLeft(line, " ")
	if len(rest) < 4 {
		return
	}
	switch c := rest[0]; {
	case c == 't' && bytes.HasPrefix(rest, []byte("test result: ")):
		t.readCargo(string(rest))
	case c == 'R' && bytes.HasPrefix(rest, []byte("Ran ")):
		t.readRan(string(rest))
	case c == 'N', c == '[' && bytes.HasPrefix(rest, []byte("[INFO] No")), c == 'R' && bytes.HasPrefix(rest, []byte("Result")):
		t.readNone(rest)
	case c == '>' && bytes.HasPrefix(rest, []byte("> Task :")):
		t.readGradle(string(rest))
	case c == 'o' && bytes.HasPrefix(rest, []byte("ok | ")), c == 'F' && (bytes.HasPrefix(rest, []byte("Files=")) || bytes.HasPrefix(rest, []byte("FAILED | "))):
		t.readWords(string(rest))
	case c == 'O', c == 'F' && len(rest) > 7, c == 'P' && bytes.HasPrefix(rest, []byte("Passed!")):
		t.readVerdict(string(rest))
	case c == 'T' && bytes.HasPrefix(rest, []byte("Tests")):
		t.readTests(string(rest))
	case c == '[':
		t.readBracket(string(rest))
	case c >= '0' && c <= '9':
		if bytes.Contains(rest, []byte("% tests passed, ")) {
			t.readCtest(string(rest))
		} else if n := countDigits(rest); n+2 < len(rest) && rest[n] == ' ' && bytes.IndexByte([]byte("erpfst"), rest[n+1]) >= 0 {
			t.readCounted(string(rest))
		}
	case c == '#' && bytes.HasPrefix(rest, []byte("# ")):
		t.readTap(string(rest[2:]))
	case c == 0xE2 && bytes.HasPrefix(rest, []byte("ℹ ")):
		t.readTap(string(rest[len("ℹ "):]))
	}
}

// readCargo reads `test result: FAILED. 3 passed; 2 failed; 1 ignored; …`.
func (t *totals) readCargo(s string) {
	_, s, _ = strings.Cut(s, ". ")
	s, _, _ = strings.Cut(s, "; finished in")
	if n, ok := readCounts(s, "; "); ok {
		t.add("cargo test", n["passed"], n["failed"], n["ignored"])
	}
}

// readRan reads unittest's `Ran 12 tests in 0.1s`, and bun's `Ran 12 tests across 2 files.`
func (t *totals) readRan(s string) {
	f := strings.Fields(s)
	if len(f) > 4 && strings.HasPrefix(f[2], "test") && f[3] == "across" {
		t.add("bun test", t.bun.Passed, t.bun.Failed, t.bun.Skipped)
		t.bun = mulligan.Counts{}
		return
	}
	if len(f) == 5 && strings.HasPrefix(f[2], "test") && f[3] == "in" {
		if n, err := strconv.Atoi(f[1]); err == nil {
			t.add("unittest", 0, 0, 0)
			t.ran += n
		}
	}
}

// readVerdict reads unittest's `FAILED (failures=2, errors=1)`, phpunit's `OK (12 tests, 30 assertions)`
// and dotnet's `Failed!  - Failed: 2, Passed: 10, Skipped: 0, Total: 12`.
func (t *totals) readVerdict(s string) {
	switch {
	case strings.HasPrefix(s, "FAILED (") && t.ran > 0, strings.HasPrefix(s, "OK (skipped=") && t.ran > 0, strings.HasPrefix(s, "OK (expected") && t.ran > 0:
		n := readPairs(strings.TrimSuffix(s[strings.IndexByte(s, '(')+1:], ")"), "=")
		bad := n["failures"] + n["errors"] + n["unexpected successes"]
		ran := t.ran
		t.ran = 0
		t.add("unittest", ran-bad-n["skipped"], bad, n["skipped"])
	case strings.HasPrefix(s, "OK (") && strings.Contains(s, " assertion"):
		if n, err := strconv.Atoi(strings.Fields(s[4:])[0]); err == nil {
			t.add("phpunit", n, 0, 0)
		}
	case (strings.HasPrefix(s, "Failed!") || strings.HasPrefix(s, "Passed!")) && strings.Contains(s, "Total:"):
		_, s, _ = strings.Cut(s, "- ")
		n := readPairs(s, ":")
		t.add("dotnet test", n["Passed"], n["Failed"], n["Skipped"])
	}
}

// readTests reads maven's `Tests run: 12, Failures: 1, Errors: 0, Skipped: 0` and phpunit's
// `Tests: 12, Assertions: 30, Failures: 2.`.
func (t *totals) readTests(s string) {
	switch {
	case strings.HasPrefix(s, "Tests run: ") && !strings.Contains(s, "Time elapsed"):
		n := readPairs(s, ":")
		bad := n["Failures"] + n["Errors"]
		t.add("surefire", n["Tests run"]-bad-n["Skipped"], bad, n["Skipped"])
	case strings.HasPrefix(s, "Tests: ") && strings.Contains(s, "Assertions: "):
		n := readPairs(strings.TrimSuffix(s, "."), ":")
		bad := n["Failures"] + n["Errors"]
		skipped := n["Skipped"] + n["Incomplete"]
		t.add("phpunit", n["Tests"]-bad-skipped, bad, skipped)
	}
}

// readBracket reads what stands behind maven's level, and googletest's totals.
func (t *totals) readBracket(s string) {
	for _, level := range []string{"[ERROR] ", "[WARNING] ", "[INFO] "} {
		if rest, ok := strings.CutPrefix(s, level); ok {
			t.readTests(strings.TrimLeft(rest, " "))
			return
		}
	}
	switch {
	case strings.HasPrefix(s, "[==========] ") && strings.Contains(s, " ran."):
		t.google = true
		t.add("googletest", 0, 0, 0)
	case t.google && strings.HasPrefix(s, "[  PASSED  ] "):
		t.counts.Passed += leadingNumber(s[13:])
	case t.google && strings.HasPrefix(s, "[  SKIPPED ] ") && strings.Contains(s, " test"):
		t.counts.Skipped += leadingNumber(s[13:])
	case t.google && strings.HasPrefix(s, "[  FAILED  ] ") && strings.Contains(s, "listed below"):
		t.counts.Failed += leadingNumber(s[13:])
	}
}

// readCounted reads the totals that begin with a number.
func (t *totals) readCounted(s string) {
	number, rest, _ := strings.Cut(s, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	word, _, _ := strings.Cut(rest, " ")
	switch strings.TrimSuffix(word, ",") {
	case "examples", "example": // rspec
		if c, ok := readCounts(s, ", "); ok {
			bad := c["failure"] + c["failures"]
			t.add("rspec", n-bad-c["pending"], bad, c["pending"])
		}
	case "runs", "run": // minitest
		if c, ok := readCounts(s, ", "); ok && strings.Contains(s, "assertion") {
			bad := c["failures"] + c["errors"]
			t.add("minitest", n-bad-c["skips"], bad, c["skips"])
		}
	case "passing": // mocha: `12 passing (3s)`
		if rest == "passing" || strings.HasPrefix(rest, "passing (") {
			t.mocha = true
			t.add("mocha", n, 0, 0)
		}
	case "failing":
		if t.mocha {
			t.counts.Failed += n
		}
	case "pending":
		if t.mocha {
			t.counts.Skipped += n
		}
	case "tests", "test":
		t.readOtherTests(n, s)
	case "pass", "fail", "skip", "todo":
		t.readBun(n, rest)
	}
}

// readBun reads bun's ` 12 pass`, ` 2 fail`, ` 1 skip` and ` 1 todo`.
func (t *totals) readBun(n int, word string) {
	switch word {
	case "pass":
		t.bun.Passed = n
	case "fail":
		t.bun.Failed = n
	case "skip", "todo":
		t.bun.Skipped += n
	}
}

// readOtherTests reads bats' `12 tests, 2 failures` and gradle's `12 tests completed, 2 failed`.
func (t *totals) readOtherTests(n int, s string) {
	switch {
	case strings.Contains(s, " completed, "):
		bad := leadingNumber(s[strings.Index(s, " completed, ")+len(" completed, "):])
		t.add("gradle", n-bad, bad, 0)
	case strings.Contains(s, " failure"):
		if c, ok := readCounts(s, ", "); ok {
			bad := c["failure"] + c["failures"]
			t.add("bats", n-bad-c["skipped"], bad, c["skipped"])
		}
	}
}

// readTap reads the totals of node's runner and of tape: `# pass 10`, `# fail 2`.
func (t *totals) readTap(s string) {
	word, number, ok := strings.Cut(s, " ")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if !ok || err != nil {
		return
	}
	switch word {
	case "pass":
		t.add("tap", n, 0, 0)
	case "fail":
		t.add("tap", 0, n, 0)
	case "skipped", "todo":
		t.add("tap", 0, 0, n)
	}
}

func leadingNumber(s string) int {
	n, _ := strconv.Atoi(s[:len(s)-len(strings.TrimLeft(s, "0123456789"))])
	return n
}

// readPairs reads `Failures: 2, Errors: 1` and `failures=2, errors=1`.
func readPairs(s, separator string) map[string]int {
	out := map[string]int{}
	for part := range strings.SplitSeq(s, ", ") {
		name, number, ok := strings.Cut(part, separator)
		if !ok {
			continue
		}
		out[strings.TrimSpace(name)] += leadingNumber(strings.TrimSpace(number))
	}
	return out
}
