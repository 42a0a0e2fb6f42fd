package feedback

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mulligan"
)

// F4: what changed since the last attempt, and nothing that is not known.
func TestChanges(t *testing.T) {
	tests := func(c mulligan.Counts, names ...string) mulligan.Finding {
		return mulligan.Finding{Command: "go test", Exit: "exit status 1", Counts: c, Failing: items(names...)}
	}
	errs := func(pairs ...string) mulligan.Finding {
		f := mulligan.Finding{Command: "go test", Exit: "exit status 1"}
		for i := 0; i < len(pairs); i += 2 {
			f.Failing = append(f.Failing, mulligan.Item{Name: pairs[i], Place: pairs[i], Message: pairs[i+1]})
		}
		return f
	}
	counts := func(passed, failed int) mulligan.Counts { return mulligan.Counts{Passed: passed, Failed: failed} }
	hung := tests(counts(0, 1), "C")
	hung.Exit = "timed out after 10m0s"
	panicked := tests(counts(0, 1), "C")
	panicked.Failing[0].Message = "panic: boom"
	said := func(s string) mulligan.Finding { return mulligan.Finding{Command: "make", Text: s} }
	const unsure = "not seen this time, which may only mean that they did not run: "
	for name, c := range map[string]struct {
		before, now mulligan.Finding
		want        string
	}{
		"all three":      {tests(counts(8, 2), "A", "B"), tests(counts(8, 2), "B", "C"), "fixed: A; still failing: B; new: C."},
		"all still":      {tests(counts(8, 2), "A", "B"), tests(counts(8, 2), "A", "B"), "still failing: A, B."},
		"fewer ran":      {tests(counts(8, 2), "A", "B"), tests(counts(4, 1), "B"), unsure + "A; still failing: B."},
		"none passed":    {tests(counts(8, 2), "A", "B"), tests(counts(0, 1), "x.py"), unsure + "A, B; new: x.py."},
		"timed out":      {tests(counts(0, 1), "A"), hung, unsure + "A; new: C."},
		"panicked":       {tests(counts(0, 1), "A"), panicked, unsure + "A; new: C."},
		"does not build": {tests(counts(0, 1), "A"), errs("a.go:1:2", "undefined: x"), unsure + "A; new: a.go:1:2: undefined: x."},
		"builds now":     {errs("a.go:1:2", "undefined: x"), tests(counts(0, 1), "A"), "fixed: a.go:1:2: undefined: x; new: A."},
		"lines moved": {
			errs("a.go:1:2", "undefined: x", "b.ts(3,4)", "no"), errs("a.go:9:9", "undefined: x", "b.ts(5,6)", "no"),
			"still failing: a.go:9:9: undefined: x, b.ts(5,6): no.",
		},
		"cut lists":    {tests(counts(0, 300), "A", "B"), tests(counts(0, 250), "B", "C"), "250 tests failed now, 300 before."},
		"same output":  {said("make: no rule"), said("make: no rule"), "no change; the check's output is the same, character by character."},
		"other output": {said("make: no rule"), said("make: stop"), ""},
		"no items now": {tests(counts(0, 1), "A"), mulligan.Finding{Command: "go test", Text: "?"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if want != "" {
				want = "Since the last attempt: " + want
			}
			if got := describeChanges(attempt(c.now), ptr(attempt(c.before))); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
	if got := describeChanges(attempt(hung), nil); got != "" {
		t.Errorf("nothing before, yet %q", got)
	}
}

// F4 on what real tools print, distilled as a check's output is: errors whose lines moved, in another
// folder, and several tools in one output.
func TestChangesOfRealOutputs(t *testing.T) {
	read := func(names ...string) mulligan.Finding {
		var output []byte
		for _, name := range names {
			p, err := os.ReadFile("../retry/testdata/fingerprint/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			output = append(output, p...)
		}
		d := NewDistiller(0)
		d.Write(output)
		return *d.Finish("").Finding("make check", "exit status 1", "")
	}
	for name, c := range map[string]struct {
		before, now mulligan.Finding
		want        []string
		not         []string
	}{
		"gcc, lines moved":      {read("gcc.a"), read("gcc.b"), []string{"still failing: "}, []string{"fixed", "new: ", "not seen"}},
		"gcc, one error fewer":  {read("gcc.b"), read("gcc.fewer"), []string{"fixed: ", "undeclared_name", "; still failing: "}, []string{"new: "}},
		"rustc, lines moved":    {read("rustc.a"), read("rustc.b"), []string{"still failing: "}, []string{"fixed", "new: ", "not seen"}},
		"javac, lines moved":    {read("javac.a"), read("javac.b"), []string{"still failing: "}, []string{"fixed", "new: ", "not seen"}},
		"pytest, lines moved":   {read("pytest.a"), read("pytest.b"), []string{"still failing: "}, []string{"fixed", "new: ", "not seen"}},
		"go test, shuffled":     {read("go-test.a"), read("go-test.b"), []string{"still failing: "}, []string{"fixed", "new: ", "not seen"}},
		"go test, one fewer":    {read("go-test.a"), read("go-test.fewer"), []string{"fixed: TestSum/case_2; still failing: "}, []string{"new: "}},
		"go test, then a build": {read("go-test.a"), read("go-test.build"), []string{"did not run: TestSum", "new: ", "undefinedThing"}, []string{"fixed"}},
		"two tools":             {read("go-test.a", "pytest.a"), read("go-test.fewer", "pytest.b"), []string{"fixed: TestSum/case_2; still failing: ", "test_box"}, []string{"new: "}},
	} {
		got := describeChanges(attempt(c.now), ptr(attempt(c.before)))
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q lacks %q", name, got, w)
			}
		}
		for _, w := range c.not {
			if strings.Contains(got, w) {
				t.Errorf("%s: %q has %q", name, got, w)
			}
		}
	}
}

// Of several errors of one kind in a file, one that is gone is fixed.
func TestChangesOfRepeatedErrors(t *testing.T) {
	errs := func(lines ...string) mulligan.Finding {
		f := mulligan.Finding{Command: "make", Exit: "exit status 1"}
		for _, l := range lines {
			f.Failing = append(f.Failing, mulligan.Item{Name: "a.go:" + l, Place: "a.go:" + l, Message: "undefined: x"})
		}
		return f
	}
	tests := func(failed int, names ...string) mulligan.Finding {
		f := errs("3")
		f.Failing = append(f.Failing, items(names...)...)
		f.Counts.Failed = failed
		return f
	}
	for _, c := range []struct {
		before, now mulligan.Finding
		want        string
	}{
		{errs("1", "5", "9"), errs("2", "6"), "fixed: a.go:9: undefined: x; still failing: a.go:2: undefined: x, a.go:6: undefined: x."},
		{errs("1"), errs("1", "5"), "still failing: a.go:1: undefined: x; new: a.go:5: undefined: x."},
		{tests(2, "A", "B"), tests(1, "B"), "fixed: A; still failing: a.go:3: undefined: x, B."}, // a linter beside the tests
	} {
		if got := describeChanges(attempt(c.now), ptr(attempt(c.before))); got != "Since the last attempt: "+c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

func TestChangesBetweenChecks(t *testing.T) {
	at := func(verdicts ...string) mulligan.AttemptState {
		var a mulligan.AttemptState
		for _, v := range verdicts {
			gate, status, _ := strings.Cut(v, ":")
			a.Verdicts = append(a.Verdicts, mulligan.Verdict{Gate: gate, Status: mulligan.Status(status)})
		}
		return a
	}
	build, later := at("build:fail"), at("build:pass", "tests:fail")
	if got, want := describeChanges(later, &build), "Since the last attempt: fixed: the check `build` passes now; `tests` was not reached then."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := describeChanges(build, &later), "Since the last attempt: new: the check `build` passed then; `tests` was not reached this time."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListsAreBounded(t *testing.T) {
	var names []string
	for i := range 25 {
		names = append(names, fmt.Sprint("T", i))
	}
	if got := joinNames(names); !strings.HasSuffix(got, ", T9 and 15 more") {
		t.Errorf("got %q", got)
	}
}

func TestSummary(t *testing.T) {
	for want, f := range map[string]*mulligan.Finding{
		"": nil,
		"2 of 14 tests failed: TestAdd, TestSub": {
			Exit: "exit status 1", Counts: mulligan.Counts{Passed: 12, Failed: 2}, Failing: items("TestAdd", "TestSub"),
		},
		"6 tests failed: A, B, C, D, …": {Counts: mulligan.Counts{Failed: 6}, Failing: items("A", "B", "C", "D", "E", "F")},
		"2 errors: calc.go:12: undefined: x": {Exit: "exit status 1", Failing: []mulligan.Item{
			{Name: "calc.go:12", Place: "calc.go:12", Message: "undefined: x\nmore"}, {Name: "calc.go:13", Place: "calc.go:13"},
		}},
		"1 error: TypeError: no (a.js:1:2)":       {Failing: []mulligan.Item{{Name: "TypeError: no", Place: "a.js:1:2"}}},
		"timed out after 10m0s: 1 test failed: A": {Exit: "timed out after 10m0s", Counts: mulligan.Counts{Failed: 1}, Failing: items("A")},
		"exit status 3":                         {Exit: "exit status 3", Text: "no"},
		"14 tests passed":                       {Counts: mulligan.Counts{Passed: 14}},
		"1 test passed, 2 skipped":              {Counts: mulligan.Counts{Passed: 1, Skipped: 2}},
		"1 of 1,235 tests failed":               {Counts: mulligan.Counts{Passed: 1234, Failed: 1}},
		"4 of 268 tests failed":                 {Counts: mulligan.Counts{Passed: 264, Failed: 4, Skipped: 2}},
		strings.Repeat("x", maxSummary-1) + "…": {Exit: strings.Repeat("x", 1000)},
	} {
		if got := Summary(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A test has one item, also if both streams name it, with a number or with blanks at the end.
func TestItemsAreNotDoubled(t *testing.T) {
	for name, c := range map[string]struct{ before, now, want string }{
		"TAP on both streams": {
			"not ok 2 - the sum\nok 3 - more\n#   Failed test 'the sum'\n#   at a.t line 3.\n1..3\n",
			"not ok 4 - the sum\nok 5 - more\n#   Failed test 'the sum'\n#   at a.t line 7.\n1..5\n",
			"still failing: not ok 4 - the sum.",
		},
		"blanks at the end": {
			"not ok 2 the sum  \n  ---\n  expected: 4\n  ...\n1..2\n", "not ok 3 the sum  \n  ---\n  expected: 4\n  ...\n1..3\n",
			"still failing: not ok 3 the sum.",
		},
		"an error with blanks at its end": {"error: out of cheese  \n", "error: out of cheese  \n", "still failing: error: out of cheese."},
	} {
		if got := compareItems(readFailures(c.now), readFailures(c.before)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// The end of a test's name is what tells it apart.
func TestListedNamesKeepTheirEnd(t *testing.T) {
	suite := "src/a.test.ts > " + strings.Repeat("a suite > ", 15)
	f := &mulligan.Finding{Failing: items(suite+"adds one", suite+"adds two"), Counts: mulligan.Counts{Failed: 2, Passed: 2}}
	for _, got := range []string{compareItems(f, f), Summary(f)} {
		if !strings.Contains(got, "> adds one") || !strings.Contains(got, "> adds two") {
			t.Errorf("got %q", got)
		}
	}
}
