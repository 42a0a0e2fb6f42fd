package feedback

import (
	"strings"
	"unicode/utf8"

	"mulligan/report/block"
)

// costOf returns how many characters an item takes with its lines up to a rank.
func (l *itemList) costOf(e *entry, level int) int {
	n := 0
	for _, x := range e.form(level) {
		n += utf8.RuneCountInString(x.Text) + 1
	}
	return n
}

// form returns the lines of an item up to a rank, with a mark where some are missing.
func (e *entry) form(level int) []block.Line {
	var out []block.Line
	gap := false
	for _, x := range e.block.Lines {
		if x.Rank > level {
			gap = gap || strings.TrimSpace(x.Text) != ""
			continue
		}
		if gap && len(out) > 0 && !e.terse {
			out = append(out, block.Line{Text: gapMark})
		}
		gap = false
		if e.terse && e.isDecoration(x) {
			continue
		}
		if e.terse {
			x.Text = squeezeLine(x.Text)
		}
		if x.Text = dedent(x.Text); level == block.Core {
			x.Text = clipAround(x.Text, coreLine)
		}
		out = append(out, x)
	}
	return out
}

// isDecoration reports whether a line only points at the one above it.
func (e *entry) isDecoration(x block.Line) bool {
	return strings.Trim(x.Text, " \t|^~-") == ""
}

// dedent takes off the indentation that would only cost room.
func dedent(s string) string {
	s = strings.TrimRight(s, " \t")
	in := len(s) - len(strings.TrimLeft(s, " \t"))
	if in <= maxIndent {
		return s
	}
	return s[:maxIndent] + s[in:]
}

const maxIndent = 12

// clipAround cuts a line in its middle.
func clipAround(s string, n int) string {
	const end = 24 // linters have their rule there
	return clipBefore(s, n, end)
}

// clipName cuts the name of a test in its middle: those of one suite differ at the end.
func clipName(s string, n int) string { return clipBefore(s, n, n/2) }

// clipBefore cuts a text to n characters before its last ones.
func clipBefore(s string, n, last int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n-last-3]) + " … " + string(r[len(r)-last:])
}
