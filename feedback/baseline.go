package feedback

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/report"
)

// maxCompared is how many failing items a report has at most: of a list that is longer nobody knows the rest.
const maxCompared = 200

// CompareToBaseline tells the failures of a check that it had before the first attempt from new ones, by
// the rule that fingerprints have. Where a list is not complete, or how the command ended differs, they
// cannot be told apart.
func CompareToBaseline(before, now mulligan.Verdict) mulligan.Comparison {
	b, n := before.Finding, now.Finding
	c := mulligan.Comparison{Fewer: countFewer(b, n)}
	if now.Status != mulligan.Fail || before.Status != mulligan.Fail {
		return c
	}
	if c.Untold = explainUntold(b, n); c.Untold != "" {
		return c
	}
	left := map[string]int{} // those of before that were not met again
	for _, it := range b.Failing {
		left[report.ItemKey(it)]++
	}
	for _, it := range n.Failing {
		if key := report.ItemKey(it); left[key] > 0 {
			left[key]--
			c.Old = append(c.Old, itemLabel(it))
		} else {
			c.New = append(c.New, itemLabel(it))
		}
	}
	c.Fixed = len(b.Failing) - len(c.Old)
	if more := n.Counts.Failed - b.Counts.Failed; more > 0 && len(c.New) == 0 {
		c.Untold = fmt.Sprintf("%d more failed than before", more)
	}
	return c
}

// explainUntold returns why failures cannot be told apart, or "" if they can.
func explainUntold(before, now *mulligan.Finding) string {
	for _, f := range []*mulligan.Finding{before, now} {
		switch {
		case f.CutShort:
			return "the command did not come to its end"
		case f.Runner == "" || len(f.Failing) == 0:
			return "its output does not name what failed in a format that is known"
		case f.Counts.Failed > len(f.Failing) || len(f.Failing) >= maxCompared:
			return "its output does not name everything that failed"
		}
	}
	if before.Exit != now.Exit && (!exitCounts(before) || !exitCounts(now)) {
		return "it ended in another way than before: " + now.Exit + ", not " + before.Exit
	}
	return ""
}

// exitCounts reports whether a command's exit code is the number of tests that failed, as mocha's is.
func exitCounts(f *mulligan.Finding) bool {
	return f.Counts.Failed > 0 && f.Exit == fmt.Sprintf("exit status %d", f.Counts.Failed)
}

// countFewer returns by how many the tests that ran are fewer than before, 0 where that is not known.
func countFewer(before, now *mulligan.Finding) int {
	if !before.Counted || !now.Counted {
		return 0
	}
	return max(before.Counts.Ran()-now.Counts.Ran(), 0)
}

// describeBaseline returns what an agent is told of the failures that were there before its first attempt.
func describeBaseline(step mulligan.Step, v *mulligan.Verdict) string {
	c := v.Baseline
	if c == nil {
		return ""
	}
	var parts []string
	switch {
	case c.Untold != "":
		parts = append(parts, "This check failed before your first attempt too. Which failures are new cannot be told: "+c.Untold+". It has to pass.")
	case len(c.Old) > 0 && step.Baseline == mulligan.BaselineStrict:
		parts = append(parts, "These failed before your first attempt already, and have to be fixed too: "+joinNames(c.Old)+".")
	case len(c.Old) > 0:
		parts = append(parts, "These failed before your first attempt already, and do not count: "+joinNames(c.Old)+".")
	}
	if len(c.New) > 0 {
		parts = append(parts, "These are new, and have to be fixed: "+joinNames(c.New)+".")
	}
	if c.Fewer > 0 {
		parts = append(parts, fmt.Sprintf("%s fewer ran than before your first attempt.", countNoun(c.Fewer, "test")))
	}
	return strings.Join(parts, "\n")
}
