package feedback

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/report"
)

const (
	maxListed     = 10  // names in a list
	maxListedName = 120 // characters of each
)

// describeChanges returns what is different since the attempt before: which items are fixed,
// still failing and new, or, where another check failed then, how far each attempt came. It
// returns "" if there is nothing to compare.
func describeChanges(last mulligan.AttemptState, prev *mulligan.AttemptState) string {
	if prev == nil {
		return ""
	}
	if what := compareAttempts(last, *prev); what != "" {
		return "Since the last attempt: " + what
	}
	return ""
}

// compareAttempts returns what describeChanges says, without its first words.
func compareAttempts(last, prev mulligan.AttemptState) string {
	if prev.Last() == nil || last.Last() == nil {
		return ""
	}
	now, before := last.Last(), prev.Last()
	if now.Gate != before.Gate {
		return describeOtherCheck(last, prev)
	}
	if before.Status != mulligan.Fail || now.Finding == nil || before.Finding == nil {
		return ""
	}
	n, b := now.Finding, before.Finding
	switch {
	case len(n.Failing) > 0 && len(b.Failing) > 0 && hasAllFailures(n) && hasAllFailures(b):
		return compareItems(n, b)
	case n.Counts.Failed > 0 && b.Counts.Failed > 0:
		return fmt.Sprintf("%s now, %d before.", failureHeading(n.Counts, 0), b.Counts.Failed)
	case n.Text == b.Text && n.Exit == b.Exit && n.Text != "":
		return "no change; the check's output is the same, character by character."
	}
	return ""
}

// hasAllFailures reports whether every failure is among the items: a list that was cut proves
// nothing about what is not in it.
func hasAllFailures(f *mulligan.Finding) bool { return f.Counts.Failed <= len(f.Failing) }

// describeOtherCheck compares attempts that ended at different checks.
func describeOtherCheck(last, prev mulligan.AttemptState) string {
	now, before := last.Last(), prev.Last()
	passed := func(a mulligan.AttemptState, gate string) bool {
		return slices.ContainsFunc(a.Verdicts, func(v mulligan.Verdict) bool { return v.Gate == gate && v.Status == mulligan.Pass })
	}
	this, that := quoteCode(checkName(now)), quoteCode(checkName(before))
	switch {
	case passed(last, before.Gate):
		return fmt.Sprintf("fixed: the check %s passes now; %s was not reached then.", that, this)
	case passed(prev, now.Gate):
		return fmt.Sprintf("new: the check %s passed then; %s was not reached this time.", this, that)
	}
	return ""
}

// compareItems returns the names of the items that are fixed, still failing and new. Items are the same
// by the rule that fingerprints have. Of several that are the same, as errors of one kind in one file,
// as many are still failing as there were.
func compareItems(now, before *mulligan.Finding) string {
	left, known := map[string]int{}, map[string]bool{} // left: those of before that were not met again
	for _, it := range before.Failing {
		left[report.ItemKey(it)]++
		known[report.ItemKey(it)] = true
	}
	var gone, still, fresh []string
	for _, it := range now.Failing {
		key := report.ItemKey(it)
		if left[key] == 0 {
			fresh = append(fresh, itemLabel(it))
			continue
		}
		left[key]--
		still = append(still, itemLabel(it))
	}
	for _, it := range slices.Backward(before.Failing) {
		if key := report.ItemKey(it); left[key] > 0 {
			left[key]--
			gone = append(gone, itemLabel(it))
		}
	}
	slices.Reverse(gone)
	word := "fixed: "
	if !provesFixes(now, before, func(it mulligan.Item) bool { return !known[report.ItemKey(it)] }) {
		word = "not seen this time, which may only mean that they did not run: "
	}
	return joinGroups(nameGroup{word, gone}, nameGroup{"still failing: ", still}, nameGroup{"new: ", fresh})
}

// A nameGroup is a list of names and the words that introduce it.
type nameGroup struct {
	words string
	names []string
}

// joinGroups returns the groups that have names as one sentence.
func joinGroups(groups ...nameGroup) string {
	var parts []string
	for _, g := range groups {
		if len(g.names) > 0 {
			parts = append(parts, g.words+joinNames(g.names))
		}
	}
	return strings.Join(parts, "; ") + "."
}

// provesFixes reports whether an item that is gone can be called fixed. Where fewer tests
// ran, the run did not come to its end, or new errors of a compiler took the place of failing
// tests, the run may not have reached it.
func provesFixes(now, before *mulligan.Finding, isNew func(mulligan.Item) bool) bool {
	if !isPlainExit(now.Exit) {
		return false
	}
	for _, it := range now.Failing {
		if strings.HasPrefix(it.Message, "panic: ") {
			return false
		}
	}
	// A runner that names only failures has no total to compare.
	if before.Counts.Passed > 0 && countTests(now.Counts) < countTests(before.Counts) {
		return false
	}
	if before.Counts.Failed == 0 {
		return true
	}
	uncounted := func(f *mulligan.Finding) int { return max(len(f.Failing)-f.Counts.Failed, 0) }
	return uncounted(now) <= uncounted(before) &&
		!slices.ContainsFunc(now.Failing, func(it mulligan.Item) bool { return report.IsError(it) && isNew(it) })
}

func countTests(c mulligan.Counts) int { return c.Passed + c.Failed + c.Skipped }

func itemLabel(it mulligan.Item) string {
	if it.Name != it.Place {
		return clipName(it.Name, maxListedName)
	}
	first, _, _ := strings.Cut(it.Message, "\n")
	return text.Clip(it.Name+": "+first, maxListedName)
}

// joinNames returns the first names and the number of the rest.
func joinNames(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %s more", groupThousands(len(names)-maxListed))
}
