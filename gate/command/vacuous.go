package command

import (
	"fmt"

	"mulligan"
	"mulligan/internal/text"
)

// judgeTests fails a verdict whose command succeeded, but ran no test, or fewer than the check wants. A
// skipped test did not run. Where nothing tells how many ran, only a check that wants a number fails.
func (g *Gate) judgeTests(v *mulligan.Verdict) {
	if v.Status != mulligan.Pass || g.opt.Expect != expectPass || v.Finding == nil {
		return
	}
	f, least := v.Finding, 1
	if g.opt.MinTests != nil {
		least = *g.opt.MinTests
	}
	ran := f.Counts.Ran()
	switch {
	case ran >= least:
		return
	case f.Counted && ran == 0:
		v.Summary = "it ran no tests" + describeSkipped(f.Counts.Skipped)
	case f.Counted:
		v.Summary = fmt.Sprintf("it ran %s%s, and min_tests is %d", text.Count(ran, "test"), describeSkipped(f.Counts.Skipped), least)
	case g.opt.MinTests == nil:
		return
	default:
		v.Summary = fmt.Sprintf("no count of tests could be read in its output, and min_tests is %d", least)
	}
	v.Status, v.Vacuous = mulligan.Fail, true
	f.Text = fmt.Sprintf("The command succeeded, but %s. Tests that are deleted, skipped or not found do not count.\n%s", v.Summary, f.Text)
}

func describeSkipped(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d skipped)", n)
}
