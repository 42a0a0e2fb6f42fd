package report

import (
	"testing"

	"mulligan"
)

// TestCounted: which outputs tell how many tests ran, and that none did.
func TestCounted(t *testing.T) {
	for name, c := range map[string]struct {
		in      string
		counted bool
		counts  mulligan.Counts
	}{
		"go: no test files":       {"?   \tm\t[no test files]\n", true, mulligan.Counts{}},
		"go: no tests to run":     {"testing: warning: no tests to run\nPASS\nok  \tm\t0.002s [no tests to run]\n", true, mulligan.Counts{}},
		"go: cached, none":        {"ok  \tm\t(cached) [no tests to run]\n", true, mulligan.Counts{}},
		"go: plain":               {"ok  \tm\t0.002s\n?   \tm/x\t[no test files]\n", false, mulligan.Counts{}},
		"go: verbose":             {"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tm\t0.002s\n?   \tm/x\t[no test files]\n", true, mulligan.Counts{Passed: 1}},
		"go: verbose, skipped":    {"=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\nok  \tm\t0.002s\n", true, mulligan.Counts{Skipped: 1}},
		"go: verbose, then plain": {"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tm\t0.002s\nok  \tn\t0.002s\n", false, mulligan.Counts{Passed: 1}},
		"go vet":                  {"# m\n./a.go:1:2: unreachable code\n", false, mulligan.Counts{}},
		"go: events": {`{"Action":"start","Package":"m"}
{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"output","Package":"m","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"run","Package":"m","Test":"TestA/x"}
{"Action":"output","Package":"m","Test":"TestA/x","Output":"--- PASS: TestFake (0.00s)\n"}
{"Action":"output","Package":"m","Test":"TestA/x","Output":"    --- PASS: TestA/x (0.00s)\n"}
{"Action":"pass","Package":"m","Test":"TestA/x","Elapsed":0}
{"Action":"output","Package":"m","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Package":"m","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"m","Output":"ok  \tm\t0.002s\n"}
{"Action":"pass","Package":"m","Elapsed":0}
`, true, mulligan.Counts{Passed: 1}},
		"go: events of a TestMain that runs nothing": {`{"Action":"start","Package":"m"}
{"Action":"output","Package":"m","Output":"ok  \tm\t0.002s\n"}
{"Action":"pass","Package":"m","Elapsed":0}
`, true, mulligan.Counts{}},
		"pytest":              {"============ no tests ran in 0.01s ============\n", true, mulligan.Counts{}},
		"pytest skipped":      {"============ test session starts ============\n============ 2 skipped in 0.01s ============\n", true, mulligan.Counts{Skipped: 2}},
		"pytest cut short":    {"============ test session starts ============\n", false, mulligan.Counts{}},
		"jest":                {"No tests found, exiting with code 0\n", true, mulligan.Counts{}},
		"jest skipped":        {"Tests:       2 skipped, 2 total\n", true, mulligan.Counts{Skipped: 2}},
		"vitest":              {"No test files found, exiting with code 0\n", true, mulligan.Counts{}},
		"vitest skipped":      {" RUN  v3.0.0 /w\n\n      Tests  2 skipped (2)\n", true, mulligan.Counts{Skipped: 2}},
		"mocha":               {"\n  0 passing (2ms)\n", true, mulligan.Counts{}},
		"mocha pending":       {"\n  0 passing (2ms)\n  3 pending\n", true, mulligan.Counts{Skipped: 3}},
		"node":                {"TAP version 13\n1..0\n# tests 0\n# pass 0\n# fail 0\n# skipped 0\n", true, mulligan.Counts{}},
		"node spec":           {"ℹ tests 1\nℹ pass 1\nℹ fail 0\n", true, mulligan.Counts{Passed: 1}},
		"tap":                 {"1..0 # SKIP nothing here\n", true, mulligan.Counts{}},
		"tap skipped":         {"1..2\nok 1 a # skip\nok 2 # SKIP not now\n", true, mulligan.Counts{Skipped: 2}},
		"bats":                {"1..2\nok 1 a\nnot ok 2 b\n", true, mulligan.Counts{Passed: 1, Failed: 1}},
		"no plan, no tap":     {"ok 1 file formatted\n1..99 is a range\n", false, mulligan.Counts{}},
		"cargo":               {"running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", true, mulligan.Counts{}},
		"cargo, doc tests":    {"test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", true, mulligan.Counts{Passed: 2}},
		"unittest":            {"Ran 0 tests in 0.000s\n\nOK\n", true, mulligan.Counts{}},
		"unittest skipped":    {"Ran 2 tests in 0.000s\n\nOK (skipped=2)\n", true, mulligan.Counts{Skipped: 2}},
		"rspec":               {"0 examples, 0 failures\n", true, mulligan.Counts{}},
		"phpunit":             {"No tests executed!\n", true, mulligan.Counts{}},
		"phpunit skipped":     {"Tests: 3, Assertions: 0, Skipped: 3.\n", true, mulligan.Counts{Skipped: 3}},
		"surefire":            {"[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n", true, mulligan.Counts{}},
		"surefire, no tests":  {"[INFO] No tests to run.\n", true, mulligan.Counts{}},
		"gradle":              {"> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n", true, mulligan.Counts{}},
		"gradle, one module":  {"> Task :app:test NO-SOURCE\n> Task :lib:test\n", false, mulligan.Counts{}},
		"gradle, tests":       {"> Task :test\nBUILD SUCCESSFUL in 1s\n", false, mulligan.Counts{}},
		"dotnet":              {"No test is available in /w/x.dll.\n", true, mulligan.Counts{}},
		"ctest":               {"No tests were found!!!\n", true, mulligan.Counts{}},
		"ctest, some":         {"100% tests passed, 0 tests failed out of 12\n", true, mulligan.Counts{Passed: 12}},
		"prove":               {"Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n", true, mulligan.Counts{}},
		"deno":                {"ok | 0 passed | 0 failed (3ms)\n", true, mulligan.Counts{}},
		"bun":                 {"Ran 0 tests across 0 files. [3.00ms]\n", true, mulligan.Counts{}},
		"minitest":            {"0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n", true, mulligan.Counts{}},
		"googletest":          {"[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests.\n", true, mulligan.Counts{}},
		"a compiler":          {"src/a.ts(3,7): error TS2322: no\n", false, mulligan.Counts{}},
		"somebody's own word": {"all good\n", false, mulligan.Counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			if r := scan(c.in); r.Counted != c.counted || r.Counts != c.counts {
				t.Errorf("counted %v %+v (%s), want %v %+v", r.Counted, r.Counts, r.Runner, c.counted, c.counts)
			}
		})
	}
}
