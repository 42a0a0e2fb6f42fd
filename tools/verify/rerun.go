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
func (r *run) rerunFailed(ctx context.Context, env, argv, failing []string) error {
	if len(failing) > maxFlaky || r.tally.raced {
		return errTests
	}
	for _, name := range failing {
		pkg, test, ok := strings.Cut(name, " ")
		if !ok {
			return errTests
		}
		alone := &run{root: r.root, out: r.out}
		if err := alone.goTest(ctx, env, append(slices.Clone(argv), "-run="+runPattern(test)), pkg); err != nil || !alone.tally.hasPassed(name) {
			return errTests
		}
		r.tally.forgiveTest(name)
		r.flaky = append(r.flaky, name)
	}
	return nil
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
	t.failing = slices.DeleteFunc(t.failing, func(f string) bool { return f == name })
}
