package claudecode

import (
	"regexp"
	"slices"
	"strings"
)

// Matches reports whether a hook's matcher is for a value: the name of a tool, the source of a
// session. "*" and an empty matcher are for all; one of letters, digits, _ and - is a name, or a
// list of names with commas or bars between them; any other is a regular expression for a part of
// the value. A regular expression that cannot be read is for all: better a hook too many than a
// guard that is missing.
func Matches(matcher, value string) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	if isList(matcher) {
		names := strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' })
		return slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(name) == value })
	}
	re, err := regexp.Compile(matcher)
	return err != nil || re.MatchString(value)
}

// isList reports whether a matcher is a name or a list of names.
func isList(matcher string) bool {
	return !strings.ContainsFunc(matcher, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("_-,| ", r)
	})
}
