package report

import (
	"testing"

	"mulligan"
)

func TestTotals(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		runner string
		counts mulligan.Counts
	}{
		"cargo": {
			"test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n",
			"cargo test",
			mulligan.Counts{Passed: 4, Failed: 2, Skipped: 1},
		},
		"unittest":          {"Ran 12 tests in 0.01s\n\nFAILED (failures=2, errors=1, skipped=1)\n", "unittest", mulligan.Counts{Passed: 8, Failed: 3, Skipped: 1}},
		"unittest passes":   {"Ran 12 tests in 0.01s\n\nOK\n", "unittest", mulligan.Counts{Passed: 12}},
		"unittest none":     {"Ran 0 tests in 0.00s\n\nOK\n", "unittest", mulligan.Counts{}},
		"mocha":             {"  12 passing (3s)\n  1 pending\n  2 failing\n", "mocha", mulligan.Counts{Passed: 12, Failed: 2, Skipped: 1}},
		"rspec":             {"12 examples, 2 failures, 1 pending\n", "rspec", mulligan.Counts{Passed: 9, Failed: 2, Skipped: 1}},
		"minitest":          {"12 runs, 30 assertions, 2 failures, 1 errors, 1 skips\n", "minitest", mulligan.Counts{Passed: 8, Failed: 3, Skipped: 1}},
		"phpunit":           {"Tests: 12, Assertions: 30, Failures: 2, Errors: 1, Skipped: 1.\n", "phpunit", mulligan.Counts{Passed: 8, Failed: 3, Skipped: 1}},
		"phpunit passes":    {"OK (12 tests, 30 assertions)\n", "phpunit", mulligan.Counts{Passed: 12}},
		"googletest":        {"[==========] 5 tests from 2 test suites ran. (3 ms total)\n[  PASSED  ] 3 tests.\n[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] A.B\n", "googletest", mulligan.Counts{Passed: 3, Failed: 2}},
		"surefire":          {"[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in A\n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n", "surefire", mulligan.Counts{Passed: 2, Failed: 2, Skipped: 1}},
		"gradle":            {"12 tests completed, 2 failed\n", "gradle", mulligan.Counts{Passed: 10, Failed: 2}},
		"dotnet":            {"Failed!  - Failed:     2, Passed:    10, Skipped:     1, Total:    13, Duration: 10 ms - a.dll\n", "dotnet test", mulligan.Counts{Passed: 10, Failed: 2, Skipped: 1}},
		"bun":               {"(pass) sum\n\n 12 pass\n 1 skip\n 1 todo\n 2 fail\n 30 expect() calls\nRan 16 tests across 3 files. [6.00ms]\n", "bun test", mulligan.Counts{Passed: 12, Failed: 2, Skipped: 2}},
		"not bun":           {" 12 pass\n 2 fail\n", "", mulligan.Counts{}},
		"bats":              {"12 tests, 2 failures, 1 skipped\n", "bats", mulligan.Counts{Passed: 9, Failed: 2, Skipped: 1}},
		"node":              {"# tests 12\n# suites 0\n# pass 10\n# fail 2\n# cancelled 0\n# skipped 0\n", "tap", mulligan.Counts{Passed: 10, Failed: 2}},
		"node spec":         {"ℹ tests 3\nℹ pass 2\nℹ fail 1\n", "tap", mulligan.Counts{Passed: 2, Failed: 1}},
		"pytest, long line": {"= 3 failed, 1987 passed, 12 skipped, 5 xfailed, 6 errors, 120 warnings in 61.35s (0:01:01) =\n", "pytest", mulligan.Counts{Passed: 1987, Failed: 9, Skipped: 17}},
		"no totals":         {"3 files changed\nOK then\nFAILED to connect\n12 tests are needed\n# pass the salt\nRan out of memory in 3 places\n", "", mulligan.Counts{}},
		"a list of numbers": {"1 passing thought is nothing\n", "", mulligan.Counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := scan(c.in)
			if r.Runner != c.runner || r.Counts != c.counts {
				t.Errorf("got %q %+v, want %q %+v", r.Runner, r.Counts, c.runner, c.counts)
			}
		})
	}
}
