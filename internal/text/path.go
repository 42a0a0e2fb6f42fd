package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// QuotePath returns a path as one line in which no part can be taken for another word.
func QuotePath(path string) string {
	odd := func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) }
	plain := utf8.ValidString(path) && !strings.ContainsFunc(path, odd) && strings.TrimSpace(path) == path
	if plain {
		return path
	}
	return strconv.Quote(path)
}
