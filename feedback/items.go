package feedback

import (
	"fmt"
	"strings"

	"mulligan"
)

// failureHeading returns how much failed: "2 of 14 tests failed", "3 errors". What a runner does
// not count is not counted: where it names only what failed, that is all.
func failureHeading(c mulligan.Counts, items int) string {
	switch {
	case c.Failed > 0 && c.Passed > 0:
		return fmt.Sprintf("%s of %s failed", groupThousands(c.Failed), countNoun(c.Ran(), "test"))
	case c.Failed > 0:
		return countNoun(c.Failed, "test") + " failed"
	}
	return countNoun(items, "error")
}

// itemLine returns an item in one line: its name, its place, the first line of its message.
func itemLine(it mulligan.Item) string {
	l := it.Name
	if it.Place != "" && it.Place != it.Name {
		l += " (" + it.Place + ")"
	}
	if first, _, _ := strings.Cut(it.Message, "\n"); first != "" {
		l += ": " + first
	}
	return l
}
