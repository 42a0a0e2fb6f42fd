package feedback

import (
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

const (
	maxSummary     = 160 // characters
	maxSummaryName = 60  // characters of each name, where there are several
	summaryNames   = 4
)

// Summary returns a finding in one line for people: "2 of 14 tests failed: TestAdd,
// TestSub", "3 errors: calc.go:12: undefined: x", "14 tests passed", or how the
// command ended.
func Summary(f *mulligan.Finding) string {
	if f == nil {
		return ""
	}
	s := summarizeResult(f)
	switch {
	case s == "":
		s = f.Exit
	case !isPlainExit(f.Exit):
		s = f.Exit + ": " + s
	}
	return text.Clip(s, maxSummary)
}

func summarizeResult(f *mulligan.Finding) string {
	c := f.Counts
	switch {
	case len(f.Failing) > 0 && c.Failed > 0:
		return failureHeading(c, len(f.Failing)) + ": " + listNames(f.Failing)
	case len(f.Failing) > 0:
		return failureHeading(c, len(f.Failing)) + ": " + itemLine(f.Failing[0])
	case c.Failed > 0:
		return failureHeading(c, 0)
	case c.Passed > 0 && c.Skipped > 0:
		return countNoun(c.Passed, "test") + " passed, " + groupThousands(c.Skipped) + " skipped"
	case c.Passed > 0:
		return countNoun(c.Passed, "test") + " passed"
	}
	return ""
}

func listNames(items []mulligan.Item) string {
	var out []string
	if len(items) == 1 {
		return items[0].Name
	}
	for _, it := range items[:min(len(items), summaryNames)] {
		out = append(out, clipName(it.Name, maxSummaryName))
	}
	s := strings.Join(out, ", ")
	if len(items) > summaryNames {
		s += ", …"
	}
	return s
}

// isPlainExit reports whether a command ended by itself: its status adds nothing to its output.
func isPlainExit(exit string) bool {
	return exit == "" || strings.HasPrefix(exit, "exit status ")
}
