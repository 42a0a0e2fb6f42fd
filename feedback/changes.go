package feedback

import (
	"fmt"
	"strings"

	"mulligan"
)

const (
	maxListed     = 10  // names in a list
	maxListedName = 120 // characters of each
)

// changes says what is different since the attempt before: which items are fixed,
// still failing and new, or, where another check failed then, how far each came.
func changes(last mulligan.AttemptState, prev *mulligan.AttemptState) string {
	if prev == nil || prev.Last() == nil || last.Last() == nil {
		return ""
	}
	now, before := last.Last(), prev.Last()
	if now.Gate != before.Gate {
		return moved(last, *prev)
	}
	if before.Status != mulligan.Fail || now.Finding == nil || before.Finding == nil {
		return ""
	}
	n, b := now.Finding, before.Finding
	switch {
	case len(n.Failing) > 0 && len(b.Failing) > 0 && whole(n) && whole(b):
		return "Since the last attempt: " + compared(n, b)
	case n.Counts.Failed > 0 && b.Counts.Failed > 0:
		return fmt.Sprintf("Since the last attempt: %s now, %d before.", heading(n.Counts, 0), b.Counts.Failed)
	case n.Text == b.Text && n.Exit == b.Exit && n.Text != "":
		return "Since the last attempt: no change; the check's output is the same, character by character."
	}
	return ""
}

// whole says that every failure is among the items: a list that was cut proves nothing
// about what is not in it.
func whole(f *mulligan.Finding) bool { return f.Counts.Failed <= len(f.Failing) }

// moved is for attempts that ended at different checks.
func moved(last, prev mulligan.AttemptState) string {
	now, before := last.Last(), prev.Last()
	for _, v := range last.Verdicts {
		if v.Gate == before.Gate && v.Status == mulligan.Pass {
			return fmt.Sprintf("Since the last attempt: fixed: the check %s passes now; %s was not reached then.",
				code(command(before)), code(command(now)))
		}
	}
	for _, v := range prev.Verdicts {
		if v.Gate == now.Gate && v.Status == mulligan.Pass {
			return fmt.Sprintf("Since the last attempt: new: the check %s passed then; %s was not reached this time.",
				code(command(now)), code(command(before)))
		}
	}
	return ""
}

// compared names the items that are fixed, still failing and new.
func compared(now, before *mulligan.Finding) string {
	was, is := index(before.Failing), index(now.Failing)
	var gone, still, fresh []string
	for _, it := range before.Failing {
		if !is[key(it)] {
			gone = append(gone, label(it))
		}
	}
	for _, it := range now.Failing {
		if was[key(it)] {
			still = append(still, label(it))
		} else {
			fresh = append(fresh, label(it))
		}
	}
	word := "fixed: "
	if !sound(now, before) {
		word = "not seen this time, which may only mean that they did not run: "
	}
	return told(group{word, gone}, group{"still failing: ", still}, group{"new: ", fresh})
}

// A group is names and the words before them.
type group struct {
	words string
	names []string
}

// told lists the groups that have names.
func told(groups ...group) string {
	var parts []string
	for _, g := range groups {
		if len(g.names) > 0 {
			parts = append(parts, g.words+listed(g.names))
		}
	}
	return strings.Join(parts, "; ") + "."
}

// sound says whether an item that is gone can be called fixed. Where fewer tests ran,
// the run did not come to its end, or errors of the compiler took the place of failing
// tests, it may just not have been reached.
func sound(now, before *mulligan.Finding) bool {
	if !plainExit(now.Exit) {
		return false
	}
	for _, it := range now.Failing {
		if strings.HasPrefix(it.Message, "panic: ") {
			return false
		}
	}
	// A runner that names only failures has no total to compare.
	if before.Counts.Passed > 0 && total(now.Counts) < total(before.Counts) {
		return false
	}
	return before.Counts.Failed == 0 || now.Counts.Failed >= len(now.Failing)
}

func total(c mulligan.Counts) int { return c.Passed + c.Failed + c.Skipped }

func index(items []mulligan.Item) map[string]bool {
	m := make(map[string]bool, len(items))
	for _, it := range items {
		m[key(it)] = true
	}
	return m
}

// key is what makes an item the same in two runs: a test's name; of an error that is
// named by its place, the file and the message, for lines move as code is written.
func key(it mulligan.Item) string {
	if it.Name != it.Place {
		return it.Name
	}
	first, _, _ := strings.Cut(it.Message, "\n")
	return strings.TrimRight(it.Place, "0123456789:,()") + "\x00" + first
}

func label(it mulligan.Item) string {
	name := it.Name
	if it.Name == it.Place {
		first, _, _ := strings.Cut(it.Message, "\n")
		name += ": " + first
	}
	return clip(name, maxListedName)
}

// listed gives the first names and counts the rest.
func listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %s more", grouped(len(names)-maxListed))
}
