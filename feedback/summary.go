package feedback

import (
	"strings"

	"mulligan"
)

const (
	maxSummary   = 160 // characters
	summaryNames = 4
)

// Summary is a finding in one line for people: "2 of 14 tests failed: TestAdd,
// TestSub", "3 errors: calc.go:12: undefined: x", "14 tests passed", or how the
// command ended.
func Summary(f *mulligan.Finding) string {
	if f == nil {
		return ""
	}
	s := outcome(f)
	switch {
	case s == "":
		s = f.Exit
	case f.Exit != "" && !plainExit(f.Exit):
		s = f.Exit + ": " + s
	}
	return clip(s, maxSummary)
}

func outcome(f *mulligan.Finding) string {
	c := f.Counts
	switch {
	case len(f.Failing) > 0 && c.Failed > 0:
		return heading(c, len(f.Failing)) + ": " + names(f.Failing)
	case len(f.Failing) > 0:
		return heading(c, len(f.Failing)) + ": " + itemLine(f.Failing[0])
	case c.Failed > 0:
		return heading(c, 0)
	case c.Passed > 0 && c.Skipped > 0:
		return plural(c.Passed, "test") + " passed, " + grouped(c.Skipped) + " skipped"
	case c.Passed > 0:
		return plural(c.Passed, "test") + " passed"
	}
	return ""
}

func names(items []mulligan.Item) string {
	var out []string
	for _, it := range items[:min(len(items), summaryNames)] {
		out = append(out, it.Name)
	}
	s := strings.Join(out, ", ")
	if len(items) > summaryNames {
		s += ", …"
	}
	return s
}

// plainExit says that a command ended by itself: its status adds nothing to its output.
func plainExit(exit string) bool {
	return exit == "" || strings.HasPrefix(exit, "exit status ")
}
