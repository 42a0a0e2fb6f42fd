package feedback

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/report"
)

// listFailures returns what failed in at most room characters: first every item on a line of
// its own, and then, as far as there is room, the rest of their messages.
func listFailures(r report.Report, room int) string {
	head := failureHeading(r.Counts, len(r.Failing)+r.More)
	if len(r.Failing) == 0 {
		return ""
	}
	const reserve = len("… and 999,999 more")
	left := room - utf8.RuneCountInString(head) - 1 - reserve
	var lines []string
	for _, it := range r.Failing {
		l := text.Clip("- "+itemLine(it), min(160, room/2))
		if left -= utf8.RuneCountInString(l) + 1; left < 0 {
			break
		}
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return ""
	}
	shown := len(lines)
	for i := range lines {
		more := itemDetails(r.Failing[i])
		n := utf8.RuneCountInString(more)
		if n > left {
			break
		}
		lines[i] += more
		left -= n
	}
	if rest := len(r.Failing) - shown + r.More; rest > 0 {
		lines = append(lines, fmt.Sprintf("… and %s more", groupThousands(rest)))
	}
	return head + ":\n" + strings.Join(lines, "\n")
}

// failureHeading returns how much failed: "2 of 14 tests failed", "3 errors".
func failureHeading(c mulligan.Counts, items int) string {
	switch all := countTests(c); {
	case c.Failed > 0 && all > c.Failed:
		return fmt.Sprintf("%s of %s failed", groupThousands(c.Failed), countNoun(all, "test"))
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

func itemDetails(it mulligan.Item) string {
	_, more, ok := strings.Cut(it.Message, "\n")
	if !ok {
		return ""
	}
	return "\n    " + strings.ReplaceAll(more, "\n", "\n    ")
}
