// Package text holds the small functions on text that the whole repository shares: counting
// words, clipping, folding lines. It imports the standard library only, so that every other
// package, the root package included, can use it.
package text

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun: "1 retry", "2 retries".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, Plural(noun))
}

// Plural returns the plural of a regular noun.
func Plural(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		return stem + "ies"
	}
	if strings.HasSuffix(noun, "ch") {
		return noun + "es"
	}
	return noun + "s"
}

// Times returns how often something happened: "once", "3 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Clip shortens a text to at most n characters. A text that it cuts ends in "…". Clip reads no
// further than it has to, since texts may be long and lists of them longer.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	seen, end := 0, 0
	for i := range s {
		if seen == max(n-1, 0) {
			end = i
		}
		if seen++; seen > n {
			return s[:end] + "…"
		}
	}
	return s
}

// OneLine returns a text with every run of white space, line breaks included, as one blank.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
