package view_test

import (
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
)

func TestSummary(t *testing.T) {
	finding := func(c mulligan.Counts, failing ...string) *mulligan.Finding {
		f := &mulligan.Finding{Counts: c, Exit: "exit status 1"}
		for _, n := range failing {
			f.Failing = append(f.Failing, mulligan.Item{Name: n})
		}
		return f
	}
	for _, c := range []struct {
		v    mulligan.Verdict
		want string
	}{
		{mulligan.Verdict{Status: mulligan.Fail, Summary: "exit status 1"}, "exit status 1"},
		{mulligan.Verdict{Status: mulligan.Fail, Finding: finding(mulligan.Counts{})}, "exit status 1"},
		{mulligan.Verdict{Status: mulligan.Fail, Summary: "exit status 1", Finding: finding(mulligan.Counts{Passed: 12, Failed: 2}, "A", "B")}, "2 of 14 tests failed: A, B"},
		{mulligan.Verdict{Status: mulligan.Fail, Finding: finding(mulligan.Counts{Passed: 264, Failed: 4, Skipped: 2}, "A")}, "4 of 268 tests failed: A"},
		{mulligan.Verdict{Status: mulligan.Fail, Finding: finding(mulligan.Counts{Failed: 1})}, "1 test failed"},
		{mulligan.Verdict{Status: mulligan.Fail, Finding: finding(mulligan.Counts{Failed: 5}, "A", "B", "C", "D", "E")}, "5 tests failed: A, B, C, D, …"},
		{mulligan.Verdict{Status: mulligan.Fail, Summary: "expected to fail, but passed", Finding: finding(mulligan.Counts{Passed: 3})}, "expected to fail, but passed"},
		{mulligan.Verdict{Status: mulligan.Pass, Summary: "exit status 0", Finding: finding(mulligan.Counts{Passed: 14})}, "14 tests"},
		{mulligan.Verdict{Status: mulligan.Pass, Finding: finding(mulligan.Counts{Passed: 14, Skipped: 2})}, "14 tests, 2 skipped"},
		{mulligan.Verdict{Status: mulligan.Pass, Summary: "passed on the second run: flaky", Finding: finding(mulligan.Counts{Passed: 14})}, "passed on the second run: flaky"},
		{mulligan.Verdict{Status: mulligan.Pass, Finding: finding(mulligan.Counts{})}, ""},
	} {
		if got := view.Summary(c.v); got != c.want {
			t.Errorf("Summary(%+v) = %q, want %q", c.v, got, c.want)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		d               time.Duration
		duration, clock string
	}{
		{0, "0ms", "0:00"},
		{12_345 * time.Microsecond, "12ms", "0:00"},
		{-time.Second, "0ms", "0:00"},
		{1240 * time.Millisecond, "1.2s", "0:01"},
		{9960 * time.Millisecond, "10s", "0:09"},
		{59_700 * time.Millisecond, "1m00s", "0:59"},
		{75 * time.Second, "1m15s", "1:15"},
		{time.Hour + 2*time.Minute + 3*time.Second, "1h02m", "1:02:03"},
	} {
		if got := view.Duration(c.d); got != c.duration {
			t.Errorf("Duration(%s) = %q, want %q", c.d, got, c.duration)
		}
		if got := view.Clock(c.d); got != c.clock {
			t.Errorf("Clock(%s) = %q, want %q", c.d, got, c.clock)
		}
	}
}

func TestExcerptSaysHowMuchIsLeftOut(t *testing.T) {
	v := mulligan.Verdict{Finding: &mulligan.Finding{Text: "\na\nb\nc\n"}}
	if lines, more := view.Excerpt(v, 2); len(lines) != 2 || lines[0] != "b" || more != 1 {
		t.Errorf("got %q and %d more", lines, more)
	}
	v.Finding = &mulligan.Finding{Failing: []mulligan.Item{{Name: "TestA", Place: "a_test.go:3", Message: "broken"}}}
	if lines, _ := view.Excerpt(v, 2); len(lines) != 1 || lines[0] != "a_test.go:3: TestA: broken" {
		t.Errorf("without text the failing items are given: %q", lines)
	}
}

func TestSpent(t *testing.T) {
	for _, c := range []struct {
		u    mulligan.Usage
		want string
	}{
		{mulligan.Usage{}, ""},
		{mulligan.Usage{InputTokens: 999, OutputTokens: 1_000}, "999 tokens in, 1.0k out"},
		{mulligan.Usage{InputTokens: 999_960, CostUSD: 0.5, Estimated: true}, "1.0M tokens in, 0 out, ≈$0.50"},
	} {
		if got := view.Spent(c.u); got != c.want {
			t.Errorf("Spent(%+v) = %q, want %q", c.u, got, c.want)
		}
	}
}
