package feedback

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/report"
)

// failing lists what failed in at most room characters: every item on a line of its
// own first, and then, as far as there is room, the rest of their messages.
func failing(r report.Report, room int) string {
	head := heading(r.Counts, len(r.Failing)+r.More)
	if len(r.Failing) == 0 {
		return ""
	}
	const reserve = len("… and 999,999 more")
	left := room - utf8.RuneCountInString(head) - 1 - reserve
	var lines []string
	for _, it := range r.Failing {
		l := clip("- "+itemLine(it), min(160, room/2))
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
		more := details(r.Failing[i])
		n := utf8.RuneCountInString(more)
		if n > left {
			break
		}
		lines[i] += more
		left -= n
	}
	if rest := len(r.Failing) - shown + r.More; rest > 0 {
		lines = append(lines, fmt.Sprintf("… and %s more", grouped(rest)))
	}
	return head + ":\n" + strings.Join(lines, "\n")
}

// heading counts what failed: "2 of 14 tests failed", "3 errors".
func heading(c mulligan.Counts, items int) string {
	switch all := total(c); {
	case c.Failed > 0 && all > c.Failed:
		return fmt.Sprintf("%s of %s failed", grouped(c.Failed), plural(all, "test"))
	case c.Failed > 0:
		return plural(c.Failed, "test") + " failed"
	}
	return plural(items, "error")
}

// itemLine is an item in one line: its name, its place, the first line of its message.
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

func details(it mulligan.Item) string {
	_, more, ok := strings.Cut(it.Message, "\n")
	if !ok {
		return ""
	}
	return "\n    " + strings.ReplaceAll(more, "\n", "\n    ")
}

// clip cuts a text to at most n characters, and shows that it did. It looks no further than
// there, for texts may be long and lists of them longer.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	seen, cut := 0, 0
	for i := range s {
		if seen == max(n-1, 0) {
			cut = i
		}
		if seen++; seen > n {
			return s[:cut] + "…"
		}
	}
	return s
}
