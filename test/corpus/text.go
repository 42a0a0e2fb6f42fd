package corpus

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	escapes     = regexp.MustCompile(`\x1b(?:\[[0-9;?]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[78=>])`)
	jsonEscapes = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|[ntrbf"/\\])`)
)

// CleanText returns an output as text without colours, and of each line the state in which a
// terminal would leave it.
func CleanText(output []byte) string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	text = escapes.ReplaceAllString(text, "")
	if !strings.Contains(text, "\r") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}

// HeadAndTail returns the first and the last half of limit characters of a text, or all of it
// where it fits: what the distiller is compared with.
func HeadAndTail(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	return string(runes[:limit/2]) + "\n" + string(runes[len(runes)-limit/2:])
}

// listReadings returns the text with its white space collapsed: as it stands, and as what it
// says if it is JSON or XML, since a distiller may show either.
func listReadings(text string) []string {
	readings := []string{collapseSpace(text)}
	for _, other := range []string{jsonEscapes.ReplaceAllStringFunc(text, unescapeJSON), html.UnescapeString(text)} {
		if other != text {
			readings = append(readings, collapseSpace(other))
		}
	}
	return readings
}

func unescapeJSON(escape string) string {
	switch escape[1] {
	case 'u':
		r, _ := strconv.ParseUint(escape[2:], 16, 32)
		return string(rune(r))
	case 'n', 't', 'r', 'b', 'f':
		return " "
	default:
		return escape[1:]
	}
}

func collapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// findWords returns the index of s in text at or after from, where s is not a part of longer
// words, or -1.
func findWords(text, s string, from int) int {
	for from <= len(text) {
		n := strings.Index(text[from:], s)
		if n < 0 {
			return -1
		}
		at := from + n
		end := at + len(s)
		cutStart := at > 0 && isWordByte(text[at-1]) && isWordByte(s[0])
		cutEnd := end < len(text) && isWordByte(text[end]) && isWordByte(s[len(s)-1])
		if !cutStart && !cutEnd {
			return at
		}
		from = at + 1
	}
	return -1
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
