package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// maxFlaky is how many failures may be accidents of a busy machine. More of them have a reason.
const maxFlaky = 3

// again runs the tests that failed once more, each by itself. One that passes then is flaky: that is
// said at the end, and never counts as plain green. A data race is no accident, and a package that
// broke with no test to blame is none either.
func (r *run) again(ctx context.Context, env, argv, failing []string) error {
	if len(failing) > maxFlaky || r.tally.raced {
		return errTests
	}
	for _, name := range failing {
		pkg, test, ok := strings.Cut(name, " ")
		if !ok {
			return errTests
		}
		alone := &run{root: r.root, out: r.out}
		if err := alone.goTest(ctx, env, append(slices.Clone(argv), "-run="+only(test)), pkg); err != nil || alone.tally.passed == 0 {
			return errTests
		}
		r.tally.forgive(name)
		r.flaky = append(r.flaky, name)
	}
	return nil
}

// only is the -run of one test.
func only(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// forgive counts a test as passed that had failed.
func (t *tally) forgive(name string) {
	t.failed--
	t.passed++
	t.failing = slices.DeleteFunc(t.failing, func(f string) bool { return f == name })
}
