package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// maxFlaky is how many failures may be accidents of a busy machine. More of them have a reason.
const maxFlaky = 8

// rerunFailed runs each failed test once more by itself. A test that passes then is flaky: the
// summary names it, so that the run is never plain green. A data race is no accident, and neither
// is a package that failed without a failed test.
func (r *run) rerunFailed(ctx context.Context, env []string, failures []failure) error {
	if len(failures) > maxFlaky || r.tally.raced {
		return errTests
	}
	var again error
	for _, f := range failures {
		pkg, test, ok := strings.Cut(f.name, " ")
		if !ok {
			again = errTests
			continue
		}
		alone := &run{root: r.root, out: r.out}
		argv := append(slices.Clone(f.argv), "-run="+runPattern(test))
		if err := alone.goTest(ctx, env, argv, pkg); err != nil || !alone.tally.hasPassed(f.name) {
			again = errTests
			continue
		}
		r.tally.forgiveTest(f.name)
		r.flaky = append(r.flaky, f.name)
	}
	return again
}

// runPattern returns the -run pattern of one test.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// forgiveTest counts a failed test as passed.
func (t *tally) forgiveTest(name string) {
	t.failed--
	t.passed++
	if i := slices.Index(t.failing, name); i >= 0 {
		t.failing = slices.Delete(t.failing, i, i+1)
	}
}
