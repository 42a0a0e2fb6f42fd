package report

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mulligan"
)

// A totalForm is a line in which a runner counts its tests.
type totalForm struct {
	words  string // one of them begins the line, after a number: its letters, or the sign that it begins with
	runner string // "" for one that ran tests which it does not count
	when   totalTime
	// line matches it. The groups passed, failed, skipped and ran are the numbers; without groups
	// they are those that countWords finds.
	line string
}

// A totalTime is when a line counts.
type totalTime uint8

const (
	always totalTime = iota
	before           // once the runner's own line comes
	after            // if the runner's own line came
	within           // as after, of the tests that counted as passed there
)

var totalForms = []totalForm{
	{"test", "cargo test", always, `^test result: .*\d passed; `},
	{"Ran", "unittest", always, `^Ran (?P<ran>\d+) tests? in \S+$`},
	{"FAILED OK", "unittest", within, `^(?:FAILED|OK) \(.*=\d`},
	{"NO", "unittest", always, `^NO TESTS RAN`},
	{"pass", "bun test", before, `^(?P<passed>\d+) pass$`},
	{"fail", "bun test", before, `^(?P<failed>\d+) fail$`},
	{"skip todo", "bun test", before, `^(?P<skipped>\d+) (?:skip|todo)$`},
	{"Ran", "bun test", always, `^Ran \d+ tests? across `},
	{"ok FAILED", "deno test", always, `^(?:ok|FAILED) \| \d+ passed`},
	{"OK", "phpunit", always, `^OK \((?P<passed>\d+) tests?, \d+ assertion`},
	{"Tests", "phpunit", always, `^Tests: \d+, Assertions: `},
	{"No", "phpunit", always, `^No tests executed!`},
	{"Passed Failed", "dotnet test", always, `^(?:Passed|Failed)!.*Total:`},
	{"No", "dotnet test", always, `^No test is available in `},
	{"Tests [", "surefire", always, `^(?:\[(?:ERROR|WARNING|INFO)\] +)?Tests run: [^T]*$`}, // a class's has its time
	{"No [", "surefire", always, `^(?:\[INFO\] )?No tests to run\.`},
	{"[", "googletest", always, `^\[==========\] .* ran\.`},
	{"[", "googletest", after, `^\[  PASSED  \] (?P<passed>\d+) `},
	{"[", "googletest", after, `^\[  SKIPPED \] (?P<skipped>\d+) test`},
	{"[", "googletest", after, `^\[  FAILED  \] (?P<failed>\d+) .*listed below`},
	{"example examples", "rspec", always, `^\d+ examples?, \d+ failure`},
	{"run runs", "minitest", always, `^\d+ runs?, \d+ assertion`},
	{"passing", "mocha", always, `^(?P<passed>\d+) passing(?: \(|$)`},
	{"failing", "mocha", after, `^(?P<failed>\d+) failing`},
	{"pending", "mocha", after, `^(?P<skipped>\d+) pending`},
	{"test tests", "gradle", always, `^(?P<ran>\d+) tests? completed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?`},
	{">", "gradle", always, `^> Task :(?:\S+:)?(?:test|\w*Test) NO-SOURCE$`},
	{">", "", always, `^> Task :(?:\S+:)?(?:test|\w*Test)(?: UP-TO-DATE| FROM-CACHE)?$`},
	{"test tests", "bats", always, `^\d+ tests?, \d+ failure`},
	{"%", "ctest", always, `^\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<ran>\d+)`},
	{"No", "ctest", always, `^No tests were found!!!`},
	{"Files", "prove", always, `^Files=\d+, Tests=(?P<passed>\d+)`},
	{"Result", "prove", always, `^Result: NOTESTS`},
	{"# ℹ", "tap", always, `^(?:#|ℹ) pass +(?P<passed>\d+) *$`},
	{"# ℹ", "tap", always, `^(?:#|ℹ) fail +(?P<failed>\d+) *$`},
	{"# ℹ", "tap", always, `^(?:#|ℹ) (?:skipped|todo) +(?P<skipped>\d+) *$`},
}

// A totalMatcher is a totalForm, ready to be used.
type totalMatcher struct {
	totalForm
	match *regexp.Regexp
}

// totalsByWord returns the forms by the words that begin them.
var totalsByWord = sync.OnceValue(func() map[string][]totalMatcher {
	out := map[string][]totalMatcher{}
	for _, form := range totalForms {
		m := totalMatcher{form, regexp.MustCompile(form.line)}
		for _, word := range strings.Fields(form.words) {
			out[word] = append(out[word], m)
		}
	}
	return out
})

// wordOf returns the word by which the forms of a line are found.
func wordOf(line []byte) []byte {
	line = bytes.TrimPrefix(line[countDigits(line):], []byte(" "))
	n := bytes.IndexFunc(line, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && r != 'ℹ' })
	if n < 0 {
		return line
	}
	return line[:min(max(n, 1), len(line))]
}

// tallies has the words that runners count by.
var tallies = map[string]string{
	"passed": "passed", "Passed": "passed",
	"failed": "failed", "Failed": "failed", "failure": "failed", "failures": "failed", "Failures": "failed", "errors": "failed", "Errors": "failed",
	"unexpected successes": "failed",
	"skipped":              "skipped", "Skipped": "skipped", "skips": "skipped", "pending": "skipped", "ignored": "skipped", "Incomplete": "skipped",
	"test": "ran", "tests": "ran", "Tests": "ran", "Tests run": "ran", "Total": "ran", "example": "ran", "examples": "ran", "run": "ran", "runs": "ran",
}

// tallied matches `3 passed`, `Failures: 2` and `errors=1`.
var tallied = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\d+) ([a-z]+)(?:[,;.]|$| [|(])|([A-Za-z][A-Za-z ]*)[=:] *(\d+)`)
})

func countWords(line []byte) map[string]int {
	n := map[string]int{}
	for _, m := range tallied().FindAllSubmatch(line, -1) {
		number, _ := strconv.Atoi(string(m[1]) + string(m[4]))
		n[tallies[string(m[2])+string(m[3])]] += number
	}
	return n
}

// count returns the numbers of a line, nil if it is of another form.
func (m totalMatcher) count(line []byte) map[string]int {
	found := m.match.FindSubmatch(line)
	if found == nil {
		return nil
	}
	n := map[string]int{}
	if m.match.NumSubexp() == 0 {
		n = countWords(line)
	}
	for i, name := range m.match.SubexpNames()[1:] {
		n[name], _ = strconv.Atoi(string(found[i+1]))
	}
	if ran, ok := n["ran"]; ok {
		n["passed"] = max(ran-n["failed"]-n["skipped"], 0)
	}
	return n
}

// A totals reads the lines in which runners count their tests. What failed is found by the rules
// for unknown output.
type totals struct {
	runners []string
	counts  mulligan.Counts
	held    map[string]mulligan.Counts // by runner: of lines that count once its own comes
	last    string                     // the runner whose line came last

	uncounted bool // gradle ran tests, and counts only those that failed
}

func (t *totals) makeReport() (Report, bool) {
	known := len(t.runners) > 0
	return Report{Runner: strings.Join(t.runners, ", "), Counts: t.counts, Counted: known, uncounted: t.uncounted}, known
}

func (t *totals) readLine(line []byte) {
	if len(line) > 200 {
		return
	}
	line = bytes.TrimLeft(line, " ")
	for _, m := range totalsByWord()[string(wordOf(line))] {
		if n := m.count(line); n != nil {
			t.add(m.totalForm, mulligan.Counts{Passed: n["passed"], Failed: n["failed"], Skipped: n["skipped"]})
		}
	}
}

func (t *totals) add(form totalForm, n mulligan.Counts) {
	switch known := slices.Contains(t.runners, form.runner); {
	case form.runner == "":
		t.uncounted = true
		return
	case form.when == before:
		if t.held == nil {
			t.held = map[string]mulligan.Counts{}
		}
		t.held[form.runner] = addCounts(t.held[form.runner], n)
		return
	case form.when == after && !known, form.when == within && t.last != form.runner:
		return
	case form.when == within:
		n.Passed = max(-n.Failed-n.Skipped, -t.counts.Passed)
		t.last = ""
	case form.when == always:
		if !known {
			t.runners = append(t.runners, form.runner)
		}
		t.last = form.runner
		n = addCounts(n, t.held[form.runner])
		delete(t.held, form.runner)
	}
	t.counts = addCounts(t.counts, n)
}
