package report

import (
	"regexp"
	"strings"
	"sync"

	"mulligan"
)

// errorLine matches a name that is an error's own line, not that of a test.
var errorLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?i:error|fatal error|fatal|panic|warning)|[\w.$:]*(?:Error|Exception|Failure|Panic))(?:\[[\w:-]+\])?(?::| TS\d| [A-Z]{1,4}\d+:)`)
})

// nameRules are what a test's name has that differs between two runs. Other numbers are part of it.
var nameRules = sync.OnceValue(func() []rule {
	return []rule{
		{match: regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), with: "<id>", hints: digits},
		{match: regexp.MustCompile(`\b0[xX][0-9a-fA-F]{6,}\b`), with: "<hex>", hints: digits},
		// What a line begins with: a number in a list, a build's step and time, a process.
		{match: regexp.MustCompile(`^(?:\d+[.)] |#\d+ \d+\.\d+ |==\d+==)`), with: "", hints: digits},
		{match: regexp.MustCompile(`(^|[\s"'(=\[])(?:/` + inPath + `+)*/`), with: "$1", hints: "/"}, // of an absolute path the last element stays
		{match: regexp.MustCompile(`(\.[A-Za-z]\w*)(?::\d+){1,2}\b`), with: "$1", hints: digits},
		{match: regexp.MustCompile(`(?i)(elapsed:?) \d+(?:\.\d+)? ?m?s\b`), with: "$1", hints: digits},
		{match: regexp.MustCompile(` *[(\[]?\b\d+(?:\.\d+)? ?(?:ms|µs|s|secs?|seconds?)[)\]]?$`), with: "", hints: digits},
		{match: regexp.MustCompile(`^(not ok) \d+`), with: "$1", hints: digits},
	}
})

// ItemKey returns what makes an item the same in two runs: the name of a test; the file and the class
// of an error that is named by its place, for lines move as code is written; the class and the file of
// one that is named by its message.
func ItemKey(it mulligan.Item) string {
	switch {
	case it.Name == it.Place:
		return normalizeFile(it.Place) + ": " + ErrorClass(it.Message)
	case IsError(it):
		return normalizeFile(it.Place) + ": " + Normalize(it.Name)
	}
	return normalizeName(it.Name)
}

// ItemClass returns the key of an item with the class of its error.
func ItemClass(it mulligan.Item) string {
	key := ItemKey(it)
	if IsError(it) {
		return key
	}
	return key + ": " + ErrorClass(it.Message)
}

// IsError reports whether an item is an error, as a compiler's, and not a test: it is named by its place
// or by its message.
func IsError(it mulligan.Item) bool {
	return it.Name == it.Place || errorLine().MatchString(it.Name)
}

func normalizeName(name string) string {
	s := cleanLine(name)
	for _, r := range nameRules() {
		s = r.apply(s)
	}
	return strings.TrimSpace(s)
}

// normalizeFile returns the file of a place: a relative path, or the last element of an absolute one,
// since checkouts and temporary folders differ.
func normalizeFile(place string) string {
	file := cutLine(strings.ReplaceAll(cleanLine(place), `\`, "/"))
	if strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || len(file) > 2 && file[1] == ':' && file[2] == '/' {
		return file[strings.LastIndexByte(file, '/')+1:]
	}
	for strings.HasPrefix(file, "./") {
		file = file[2:]
	}
	return file
}

// cutLine returns a place without line and column: `a.go:1:2`, `a.ts(3,7)`, `A.java:[3,7]`, `a.js: line 3, col 7`.
func cutLine(place string) string {
	if file, _, ok := strings.Cut(place, ": line "); ok {
		return file
	}
	for i := 1; i < len(place); i++ {
		if !strings.ContainsRune(":([", rune(place[i])) {
			continue
		}
		rest := strings.TrimLeft(place[i:], ":([")
		if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return strings.TrimRight(place[:i], ":([")
		}
	}
	return place
}
