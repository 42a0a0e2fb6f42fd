package report

import (
	"fmt"
	"strings"
	"testing"

	"mulligan"
)

func names(items []mulligan.Item) string {
	var out []string
	for _, it := range items {
		out = append(out, it.Name)
	}
	return strings.Join(out, " ")
}

func TestGoDetails(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		want   string // names of the items
		counts mulligan.Counts
	}{
		"parent without a failing child is reported": {
			"--- FAIL: TestA (0.00s)\n    a_test.go:1: own\nFAIL\nFAIL\tp\t0s\n", "TestA",
			mulligan.Counts{Failed: 1},
		},
		"parent before its child gives way": {
			"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\n        a_test.go:1: no\nFAIL\tp\t0s\n", "TestA/x",
			mulligan.Counts{Failed: 1},
		},
		"a name that only begins alike is no parent": {
			"--- FAIL: TestA (0.00s)\n--- FAIL: TestAB (0.00s)\nFAIL\tp\t0s\n", "TestA TestAB",
			mulligan.Counts{Failed: 2},
		},
		"verbose parents are not counted": {
			"=== RUN   TestA\n=== RUN   TestA/x\n=== RUN   TestA/y\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\n    --- PASS: TestA/y (0.00s)\nPASS\nok  \tp\t0.1s\n",
			"",
			mulligan.Counts{Passed: 2},
		},
		"same name in two packages": {
			"--- FAIL: TestA (0.00s)\n    a_test.go:1: one\nFAIL\nFAIL\tp/one\t0s\n--- FAIL: TestA (0.00s)\n    a_test.go:1: two\nFAIL\nFAIL\tp/two\t0s\n",
			"p/one.TestA p/two.TestA",
			mulligan.Counts{Failed: 2},
		},
		"package that fails by itself": {
			"ok  \tp/a\t0s\nexit status 3\nFAIL\tp/b\t0.01s\n", "p/b", mulligan.Counts{},
		},
		"build failure without its errors": {
			"FAIL\tp [build failed]\n", "p [build failed]", mulligan.Counts{},
		},
		"build failure with its errors": {
			"# p\n./a.go:1:2: undefined: x\nFAIL\tp [build failed]\nFAIL\tq [build failed]\n", "./a.go:1:2", mulligan.Counts{},
		},
		"a log line is no compiler's error": {
			"main.go:12: listening\nok  \tp\t0s\n", "", mulligan.Counts{},
		},
		"a panic after the test's own words": {
			"--- FAIL: TestA (0.00s)\n    a_test.go:1: words\npanic: boom\n\ngoroutine 7 [running]:\np.TestA(0x1)\n\t/w/a_test.go:9 +0x1\nFAIL\tp\t0s\n",
			"TestA",
			mulligan.Counts{Failed: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := scan(c.in)
			if got := names(r.Failing); got != c.want || r.Counts != c.counts || r.Runner != "go test" {
				t.Errorf("got %q %+v %q, want %q %+v", got, r.Counts, r.Runner, c.want, c.counts)
			}
		})
	}
}

// Packages and parallel tests come mixed in -json.
func TestGoJSONMixed(t *testing.T) {
	event := func(pkg, test, out string) string {
		return fmt.Sprintf("{\"Time\":\"t\",\"Action\":\"output\",\"Package\":%q,\"Test\":%q,\"Output\":%q}\n", pkg, test, out)
	}
	r := scan(event("a", "TestX", "=== RUN   TestX\n") + event("b", "TestX", "=== RUN   TestX\n") +
		event("a", "TestX", "    a_test.go:1: from a\n") + event("b", "TestX", "    b_test.go:2: from b\n") +
		event("a", "TestX", "--- FAIL: TestX (0.00s)\n") + event("c", "", "ok  \tc\t0.1s\n") +
		event("b", "TestX", "--- PASS: TestX (0.00s)\n") + event("b", "", "ok  \tb\t0.1s\n") +
		event("a", "", "FAIL\ta\t0.1s\n"))
	want := mulligan.Item{Name: "TestX", Place: "a_test.go:1", Message: "from a"}
	if len(r.Failing) != 1 || r.Failing[0] != want || r.Counts != (mulligan.Counts{Passed: 1, Failed: 1}) {
		t.Errorf("got %+v", r)
	}
}

func TestItemsAreBounded(t *testing.T) {
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&in, "--- FAIL: Test%03d%s (0.00s)\n", i, strings.Repeat("x", 1000))
		for range 50 {
			fmt.Fprintf(&in, "    a_test.go:1: %s\n", strings.Repeat("é", 500))
		}
	}
	in.WriteString("FAIL\tp\t0s\n")
	r := scan(in.String())
	if len(r.Failing) != maxItems || r.More != 800 || r.Counts.Failed != 1000 {
		t.Errorf("%d items, %d more, %d failed", len(r.Failing), r.More, r.Counts.Failed)
	}
	size := 0
	for _, it := range r.Failing {
		size += len(it.Name) + len(it.Place) + len(it.Message)
	}
	if size > maxItems*2*maxName+maxMessages {
		t.Errorf("%d bytes of items", size)
	}
}

// A message keeps its first lines and the last one: some tests log before they fail.
func TestMessageKeepsItsEnd(t *testing.T) {
	var in strings.Builder
	in.WriteString("--- FAIL: TestA (0.00s)\n")
	for i := range 30 {
		fmt.Fprintf(&in, "    a_test.go:%d: line %d\n", i, i)
	}
	in.WriteString("FAIL\tp\t0s\n")
	m := scan(in.String()).Failing[0].Message
	if !strings.HasPrefix(m, "line 0\nline 1\n") || !strings.HasSuffix(m, "\n…\nline 29") {
		t.Errorf("got %q", m)
	}
}

func TestSeveralRunners(t *testing.T) {
	r := scan("=== RUN   TestA\n--- PASS: TestA (0.00s)\nok  \tp\t0s\n" +
		"=== test session starts ===\n=== FAILURES ===\n____ test_b ____\nE  no\nb.py:1: AssertionError\n" +
		"=== short test summary info ===\nFAILED b.py::test_b - no\n=== 1 failed, 3 passed in 0.1s ===\n")
	if r.Runner != "go test, pytest" || r.Counts != (mulligan.Counts{Passed: 4, Failed: 1}) || names(r.Failing) != "b.py::test_b" {
		t.Errorf("got %+v", r)
	}
}

func TestCutPlace(t *testing.T) {
	for in, want := range map[string]string{
		"a.go:1: x":           "a.go:1| x",
		"a.go:1:2: x":         "a.go:1:2| x",
		"/x/y/a.c:10:200: e":  "/x/y/a.c:10:200| e",
		`C:\x\a.c:3:4: error`: `C:\x\a.c:3:4| error`,
		"a.ts:3:7 - error":    "a.ts:3:7| - error",
		"Makefile:7: *** x":   "Makefile:7| *** x",
		"12:30:45: error":     "",
		"a b.go:1: x":         "",
		"error: a.go:1: x":    "",
		"nothing here":        "",
		"":                    "",
	} {
		place, rest, ok := cutPlace([]byte(in))
		if got := string(place) + "|" + string(rest); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q %v, want %q", in, got, ok, want)
		}
	}
}

// Tests of one suite differ at the end of their names.
func TestLongNamesKeepTheirEnd(t *testing.T) {
	suite := "src/a.test.ts > " + strings.Repeat("a suite with a long name > ", 10)
	r := scan(" RUN  v3.0.0 /w\n FAIL  " + suite + "adds one\nE: x\n\n FAIL  " + suite + "adds two\nE: y\n\n Tests  2 failed (2)\n")
	if len(r.Failing) != 2 || !strings.HasSuffix(r.Failing[0].Name, "> adds one") || !strings.HasSuffix(r.Failing[1].Name, "> adds two") {
		t.Errorf("got %+v", r.Failing)
	}
	for _, it := range r.Failing {
		if len(it.Name) > maxName || it.Place != "src/a.test.ts" {
			t.Errorf("got %+v", it)
		}
	}
}
