package feedback

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"mulligan"
	"mulligan/report"
)

func distill(t *testing.T, in string, limit int, whole string) Distilled {
	t.Helper()
	d, err := Distill(strings.NewReader(in), limit, whole)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Small output is given as it is, clean, with nothing added.
func TestCleanLines(t *testing.T) {
	esc := "\x1b"
	for name, c := range map[string]struct{ in, want string }{
		"nothing":             {"", ""},
		"one line":            {"hello\n", "hello"},
		"no last newline":     {"a\nb", "a\nb"},
		"leading blank lines": {"\n\na\n\n\n", "\n\na"},
		"windows lines":       {"a\r\nb\r\r\n", "a\nb"},
		"tabs stay":           {"\ta\tb\n", "\ta\tb"},
		"colours":             {esc + "[1;31mred" + esc + "[0m plain\n", "red plain"},
		"link":                {esc + "]8;;http://x/" + esc + "\\text" + esc + "]8;;" + esc + "\\ end\n", "text end"},
		"title with bell":     {esc + "]0;title\aafter\n", "after"},
		"device control":      {esc + "Pq#0;2;0" + esc + "\\after\n", "after"},
		"character set":       {esc + "(Bafter\n", "after"},
		"two byte escape":     {esc + "7after" + esc + "8\n", "after"},
		"stray title":         {esc + "]0;never ended\nnext line\n", "\nnext line"},
		"stray escape at end": {"a\n" + esc, "a"},
		"escape in escape":    {esc + "[3" + esc + "[31mx\n", "x"},
		"cancelled escape":    {esc + "[31\x18x\n", "x"},
		"progress":            {"10%\r50%\r100%\nok\n", "100%\nok"},
		"progress erased":     {"working" + esc + "[2K\rdone\n", "done"},
		"progress wiped":      {"working\r" + esc + "[K\nok\n", "\nok"},
		"erase to the end":    {"kept" + esc + "[K\n", "kept"},
		"spinner":             {"|\b/\b-\b\\\bdone\n", "done"},
		"backspace wide":      {"é\bx\n", "x"},
		"controls":            {"a\x00b\x07c\x7fd\n", "abcd"},
		"latin-1 controls":    {"a\u0085b°\n", "ab°"},
		"invalid bytes":       {"caf\xe9 ok\n", "caf\uFFFD ok"},
		"utf-16":              {"o\x00k\x00\n\x00", "ok"},
		"wide":                {"héllo 世界 ✓\n", "héllo 世界 ✓"},
		"twice is not folded": {"a\na\nb\n", "a\na\nb"},
		"folded":              {strings.Repeat("a\n", 42) + "b\n", "a\n… repeated 41 times\nb"},
		"folded at the end":   {"b\n" + strings.Repeat("a\n", 3), "b\na\n… repeated 2 times"},
		"folded after escape": {"a\n" + esc + "[31ma\n" + "a\r\nb\n", "a\n… repeated 2 times\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			got := distill(t, c.in, 0, "/out")
			if got.Text != c.want || got.Cut || got.Bytes != int64(len(c.in)) {
				t.Errorf("got %q cut=%v bytes=%d, want %q", got.Text, got.Cut, got.Bytes, c.want)
			}
		})
	}
}

// F1, F2: failing items, the start, a note of what is missing and where it is, the end.
func TestLongOutput(t *testing.T) {
	var in strings.Builder
	fmt.Fprintln(&in, "the first line")
	for i := range 5000 {
		fmt.Fprintf(&in, "=== RUN   TestFine%d\n--- PASS: TestFine%d (0.00s)\n", i, i)
	}
	fmt.Fprint(&in, "=== RUN   TestAdd\n    calc_test.go:7: got 2, want 3\n--- FAIL: TestAdd (0.00s)\n")
	for i := range 5000 {
		fmt.Fprintf(&in, "=== RUN   TestGood%d\n--- PASS: TestGood%d (0.00s)\n", i, i)
	}
	fmt.Fprintln(&in, "FAIL\nFAIL\tcalc\t0.003s\nthe last line")
	for _, limit := range []int{200, 500, 8000, 20000} {
		got := distill(t, in.String(), limit, "/state/out.txt")
		if n := utf8.RuneCountInString(got.Text); n > limit || n < limit*3/4 {
			t.Errorf("limit %d: %d characters", limit, n)
		}
		if !got.Cut || !strings.HasSuffix(got.Text, "\nthe last line") || !strings.Contains("\n"+got.Text, "\nthe first line\n") {
			t.Errorf("limit %d: the start or the end is missing:\n%s", limit, got.Text)
		}
		if !strings.Contains(got.Text, "left out; the whole output is in /state/out.txt …]\n") {
			t.Errorf("limit %d: what was cut is not said:\n%s", limit, got.Text)
		}
		want := "1 of 10,001 tests failed:\n--- FAIL: TestAdd (0.00s)\n    calc_test.go:7: got 2, want 3\n"
		if limit >= 500 && !strings.HasPrefix(got.Text, want) {
			t.Errorf("limit %d: the failing test does not come first:\n%s", limit, got.Text)
		}
	}
}

func TestNoteCounts(t *testing.T) {
	var in strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&in, "%05d----\n", i) // 10 bytes each
	}
	got := distill(t, in.String(), 1000, "").Text
	var before, after, lines int
	var unit string
	head, rest, ok := strings.Cut(got, "[… ")
	note, tail, ok2 := strings.Cut(rest, " …]")
	if !ok || !ok2 {
		t.Fatalf("no note in\n%s", got)
	}
	var kb int
	if _, err := fmt.Sscanf(strings.ReplaceAll(note, ",", ""), "%d lines (%d %3s left out", &lines, &kb, &unit); err != nil {
		t.Fatalf("%q: %v", note, err)
	}
	before, after = strings.Count(head, "\n"), strings.Count(tail, "\n")
	if before+after+lines != 2000 {
		t.Errorf("%d shown, %d left out, %d shown: not 2000", before, lines, after)
	}
	if want := (lines*10 + 500) / 1000; kb != want {
		t.Errorf("%d kB left out, want %d", kb, want)
	}
}

func TestLongLines(t *testing.T) {
	one := strings.Repeat("x", 7000)
	if got := distill(t, one, 0, "/out"); got.Text != one || got.Cut {
		t.Errorf("a long line that fits was cut: %d characters", len(got.Text))
	}
	got := distill(t, "begin\n"+strings.Repeat("é", 1<<20)+"\nend\n", 0, "/out")
	if !got.Cut || !strings.Contains(got.Text, "2.1 MB cut …]\nend\n[… long lines were cut; the whole output is in /out …]") {
		t.Errorf("what was cut is not said:\n%s", got.Text)
	}
	if strings.ContainsRune(got.Text, utf8.RuneError) {
		t.Error("a character was cut in its middle")
	}
}

func TestLongFirstLine(t *testing.T) {
	in := "begin " + strings.Repeat("x", 20000) + "\n" + strings.Repeat("line\nother\n", 20000)
	if got := distill(t, in, 0, ""); !strings.HasPrefix(got.Text, "begin xxx") {
		t.Errorf("the start is missing: %.100s", got.Text)
	}
}

func TestLongPath(t *testing.T) {
	in := strings.Repeat("a line\nanother line\n", 1000)
	for _, n := range []int{10, 100, 1000} {
		got := distill(t, in, MinLimit, "/"+strings.Repeat("p", n))
		if utf8.RuneCountInString(got.Text) > MinLimit || !strings.Contains(got.Text, "left out") {
			t.Errorf("path of %d: %q", n, got.Text)
		}
	}
}

func TestDistillRefuses(t *testing.T) {
	if _, err := Distill(strings.NewReader(""), MinLimit-1, ""); err == nil {
		t.Error("a limit that is too small was taken")
	}
	broken := errors.New("broken disk")
	if _, err := Distill(iotest.ErrReader(broken), 0, ""); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Rule 12.10: the report is found whatever else is printed around it.
func TestReportAmongNoise(t *testing.T) {
	in := "warning: deprecated\n--- FAIL: TestAdd (0.00s)\n    a_test.go:3: no\nwarning: deprecated\nFAIL\nFAIL\tcalc\t0.1s\n"
	got := distill(t, in, 0, "")
	if len(got.Report.Failing) != 1 || got.Report.Failing[0].Name != "TestAdd" || !strings.Contains(got.Text, "a_test.go:3: no") {
		t.Errorf("got %+v", got)
	}
}

func FuzzDistill(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\r\nc\xc3\x28\n"), 3, 200)
	f.Add([]byte(strings.Repeat("line\nother\r", 200)), 7, 300)
	f.Add([]byte("--- FAIL: TestA (0.0s)\n    a_test.go:1: x\npanic: y\n\ngoroutine 1 [running]:\nFAIL\tp\t0s\n"), 1, 250)
	f.Add([]byte("{\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"T\",\"Output\":\"--- FAIL: T (0s)\\n\"}\n"), 2, 200)
	f.Add([]byte("=== FAILURES ===\n___ t ___\nE  x\na.py:1: E\n=== short test summary info ===\nFAILED a.py::t - x\n== 1 failed in 1s =="), 5, 200)
	f.Add([]byte("FAIL a.js\n  ● a › b\n\n  x\n at y (a.js:1:2)\nTests: 1 failed, 1 total\n FAIL  a.ts > b\nE: x\n ❯ a.ts:1:2\n Tests  1 failed (1)\n"), 9, 200)
	f.Add([]byte("\x1b]0;\n\x1b[\x1b(\x1b\x1b\\\b\b\xe2\x82"), 1, 200)
	f.Fuzz(func(t *testing.T, in []byte, step, limit int) {
		limit = MinLimit + int(uint(limit)%10000)
		path := "/" + strings.Repeat("p", int(uint(step)%500))
		whole := NewDistiller(limit)
		_, _ = whole.Write(in)
		want := whole.Finish(path)
		if n := utf8.RuneCountInString(want.Text); n > limit {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if !utf8.ValidString(want.Text) || strings.ContainsAny(want.Text, "\x1b\r\x00\b\x7f") {
			t.Fatalf("not clean: %q", want.Text)
		}
		pieces := NewDistiller(limit)
		for rest := in; len(rest) > 0; {
			n := min(1+int(uint(step)%17), len(rest))
			_, _ = pieces.Write(rest[:n])
			rest = rest[n:]
			step += 5
		}
		if got := pieces.Finish(path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("split otherwise\n%+v\nwhole\n%+v", got, want)
		}
	})
}

// F5a: an item is shown whole, in the output's own lines, wherever it stands and whatever printed it.
func TestItemsAreWhole(t *testing.T) {
	noise := strings.Repeat("compiling a unit of the program\nanother line of the log, all fine\n", 400)
	long := strings.Repeat("{\"ok\": true}, ", 9000)
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"an error in the middle of a log": {
			noise + "src/a.c:3:5: error: bad\n    3 |   x = 1;\n      |   ^\nsrc/b.h:1:2: note: declared here\n" + noise,
			[]string{"src/a.c:3:5: error: bad\n    3 |   x = 1;\n      |   ^\nsrc/b.h:1:2: note: declared here\n"},
		},
		"several tools": {
			"--- FAIL: TestA (0.00s)\n    a_test.go:3: got 1, want 2\nFAIL\tp\t0.1s\n" + noise + "src/a.ts(3,7): error TS2322: Wrong type.\n" + noise + "make: *** [Makefile:9: all] Error 1\n",
			[]string{"--- FAIL: TestA (0.00s)\n    a_test.go:3: got 1, want 2\n", "src/a.ts(3,7): error TS2322: Wrong type.\n", "make: *** [Makefile:9: all] Error 1"},
		},
		"JSON on one line that is too long to be held": {
			`[{"filePath":"/w/a.js","messages":[],"source":"` + strings.Repeat("x", 300000) + `"},{"filePath":"/w/b.js","messages":[{"ruleId":"no-var","severity":2,"message":"Unexpected \"var\".","line":3,"column":1}]}]` + "\n",
			[]string{`/w/b.js:3:1: error: Unexpected "var". (no-var)`},
		},
		"one huge difference": {
			"--- FAIL: TestA (0.00s)\n    a_test.go:3: differs (-want +got):\n" + strings.Repeat("          the same line\n          and another one\n", 8000) + "        - left 1\n        + right 2\n" + strings.Repeat("          the same line\n          and a third one\n", 8000) + "FAIL\n",
			[]string{"a_test.go:3: differs (-want +got):", "- left 1", "+ right 2"},
		},
		"a long line in a message": {
			"=== FAILURES ===\n____ test_a ____\n>   assert x == y\nE   assert [" + long + "] == []\nE   At index 7 diff: 1 != 2\n\nt.py:3: AssertionError\n=== 1 failed in 1s ===\n",
			[]string{"____ test_a ____", "E   assert [{", "E   At index 7 diff: 1 != 2", "t.py:3: AssertionError"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := distill(t, c.in, 0, "/out")
			for _, want := range c.want {
				if !strings.Contains(got.Text, want) {
					t.Errorf("%q is missing in\n%.3000s", want, got.Text)
				}
			}
			if !got.Cut || utf8.RuneCountInString(got.Text) > DefaultLimit {
				t.Errorf("cut %v, %d characters", got.Cut, utf8.RuneCountInString(got.Text))
			}
		})
	}
}

// F5a: where not all fit, the first of each kind and of each file come first, those that say the same
// share one message, and the rest are counted.
func TestItemsThatDoNotFit(t *testing.T) {
	var in strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&in, "src/file%02d.c:%d:1: error: something is wrong with number %d in this place\n", i%40, i, i)
		if i == 2000 {
			fmt.Fprintln(&in, "rare.py:7:1: E999 a rare thing")
		}
	}
	for i := range 200 {
		fmt.Fprintf(&in, "lib/%03d.c:1:1: error: the same everywhere\n", i)
	}
	got := distill(t, in.String(), 0, "").Text
	for _, want := range []string{"3,201 errors:", "src/file00.c:0:1", "src/file39.c:39:1", "rare.py:7:1: E999 a rare thing", "lib/000.c:1:1, lib/001.c:1:1", "… and "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "the same everywhere"); n != 1 && n != 2 { // once more at the end of the output
		t.Errorf("what they share is there %d times", n)
	}
}

// What a runner does not count is not counted.
func TestOnlyFailuresAreNamed(t *testing.T) {
	var in strings.Builder
	for i := range 96 {
		fmt.Fprintf(&in, "--- FAIL: TestCase%03d (0.00s)\n    a_test.go:%d: got %d, want %d, and some words to fill the line\n", i, i, i, i+1)
	}
	in.WriteString("FAIL\nFAIL\tp\t0.1s\n")
	got := distill(t, in.String(), 0, "")
	if !strings.HasPrefix(got.Text, "96 tests failed:\n") {
		t.Errorf("got %.200s", got.Text)
	}
	if s := Summary(got.Finding("go test", "exit status 1", "")); !strings.HasPrefix(s, "96 tests failed: TestCase000, ") {
		t.Errorf("got %q", s)
	}
}

// The evidence has the same totals as the headline.
func TestHeadlineAndEvidenceAgree(t *testing.T) {
	in := strings.Repeat("a line about nothing in particular\nand one more\n", 500) +
		"=== FAILURES ===\n____ test_a ____\nE   assert 1 == 2\n\nt.py:3: AssertionError\n=== 1 failed, 264 passed, 2 skipped in 0.10s ===\n"
	for want, tests := range map[string]*report.Report{
		"1 of 265 tests failed:": nil,
		"1 of 300 tests failed:": {Runner: "go test", Counts: mulligan.Counts{Passed: 299, Failed: 1, Skipped: 7}, Counted: true},
	} {
		d := NewDistiller(1000)
		d.Tests = tests
		fmt.Fprint(d, in)
		made := d.Finish("")
		heading, _, _ := strings.Cut(made.Text, "\n")
		if headline := Summary(made.Finding("", "", "")); heading != want || !strings.HasPrefix(headline, want) {
			t.Errorf("the evidence says %q, the headline %q; want %q", heading, headline, want)
		}
	}
}

// F1: what failed comes first, in an output that fits as well, and nothing is left out.
func TestItemsComeFirstInWhatFits(t *testing.T) {
	var before strings.Builder
	for i := range 100 {
		fmt.Fprintf(&before, "ok %d - passes number %d of them all\n", i+1, i+1)
	}
	item := "not ok 101 - the sum\n  ---\n  expected: 4\n  actual: 3\n  ...\n"
	after := "1..101\n# done\n"
	want := "1 of 101 tests failed:\n" + item + "\nThe output:\n" + before.String() + "…\n" + strings.TrimSpace(after)
	if got := distill(t, before.String()+item+after, 0, ""); got.Text != want || got.Cut || !got.ItemsFirst {
		t.Errorf("got\n%s\nwant\n%s", got.Text, want)
	}
	for name, in := range map[string]string{
		"near the start": "ok 1 - one\n" + item + before.String(),
		"no room":        strings.Repeat(before.String(), 2) + item,
	} {
		limit := utf8.RuneCountInString(in)
		if got := distill(t, in, limit, ""); got.Text != strings.TrimSpace(in) {
			t.Errorf("%s: got\n%s", name, got.Text)
		}
	}
}

// Of a large output the start and the end are read, and what is between them is counted.
func TestLargeOutput(t *testing.T) {
	const lines = 400_000
	line := func(i int) string {
		switch i {
		case 10, lines / 2, lines - 10:
			return fmt.Sprintf("src/a%d.c:3:5: error: no\n", i)
		}
		return fmt.Sprintf("%06d a line about nothing in particular, as most of an output is, and long enough to fill many megabytes of it\n", i)
	}
	d := NewDistiller(0)
	var size int64
	for i := range lines {
		n, _ := fmt.Fprint(d, line(i))
		size += int64(n)
	}
	made := d.Finish("/whole")
	for _, want := range []string{"2 errors:\nsrc/a10.c:3:5: error: no\n", "\nsrc/a399990.c:3:5: error: no\n", "\n000000 a line", "\n399999 a line", " lines (4"} {
		if !strings.Contains(made.Text, want) {
			t.Errorf("%q is missing in\n%s", want, made.Text)
		}
	}
	note := made.Text[strings.Index(made.Text, cutMark):]
	left, _, _ := strings.Cut(note[len(cutMark):], " ")
	shown := strings.Count(made.Text, "\n")
	if n, _ := strconv.Atoi(strings.ReplaceAll(left, ",", "")); n < lines-shown-10 || n > lines {
		t.Errorf("%s lines are said to be left out of %d, and %d are shown", left, lines, shown)
	}
	if made.Bytes != size || !made.Cut {
		t.Errorf("%d bytes, want %d", made.Bytes, size)
	}
}

// However large an output is, no line of its end is lost or split.
func TestOutputEnd(t *testing.T) {
	var e outputEnd
	line := []byte(strings.Repeat("x", 99) + "\n")
	total := 3 * readEnd / len(line)
	for range total {
		e.add(line)
	}
	e.trim()
	kept := 0
	for _, c := range e.chunks {
		kept += len(c)
	}
	if kept%len(line) != 0 || kept < readEnd-chunkSize || kept > readEnd+2*chunkSize || e.lines != total-kept/len(line) || int(e.bytes)+kept != total*len(line) {
		t.Errorf("%d bytes kept, %d lines and %d bytes dropped of %d lines", kept, e.lines, e.bytes, total)
	}
}
