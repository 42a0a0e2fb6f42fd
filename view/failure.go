package view

import (
	"strings"

	"mulligan"
)

// findFailure returns the line that an excerpt of at most n lines begins with: the heading of the first
// failing item, so that its message is among them. Test runners print pages before it. It is the first line
// if no item's message can be found. Of an output in which nothing failed that is known it is the last n lines: programs
// print what stopped them at the end.
func findFailure(lines []string, f mulligan.Finding, n int) int {
	if len(f.Failing) == 0 && !f.ItemsFirst && f.Counts.Failed == 0 {
		return max(len(lines)-n, 0)
	}
	first := len(lines)
	for _, item := range f.Failing {
		if at := findLine(lines[:first], firstLine(item.Message)); at >= 0 {
			first = min(first, findHeading(lines, item, at, n/2))
		}
	}
	if first == len(lines) {
		return 0
	}
	return first
}

// findHeading returns the line with which an item begins whose message is in line at: the earliest line that
// names it among the so many before. An item without one begins with the line before its message, which
// tools use for the source.
func findHeading(lines []string, item mulligan.Item, at, before int) int {
	name := item.Name[strings.LastIndex(item.Name, ":")+1:]
	for i := max(0, at-before); i < at && name != ""; i++ {
		if strings.Contains(lines[i], name) {
			return i
		}
	}
	if name != "" && strings.Contains(lines[at], name) {
		return at
	}
	return max(0, at-1)
}

// findLine returns the index of the first line that has the text in it, or -1 if none has, or the text is empty.
func findLine(lines []string, text string) int {
	for i, line := range lines {
		if text != "" && strings.Contains(line, text) {
			return i
		}
	}
	return -1
}

// firstLine returns the first line of a text that is not blank, without blanks around it.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(first)
}
