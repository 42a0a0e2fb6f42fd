package report

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"mulligan/internal/escape"
	"mulligan/internal/text"
)

const (
	maxRaw    = 1000 // bytes of a line that are looked at
	maxNormal = 300  // characters of a normalised line
)

// A rule replaces what differs between two runs of the same failure.
type rule struct {
	match *regexp.Regexp
	with  string
	// hints are characters of which every match has one.
	hints string
	// only, where it is set, reports whether a match is one.
	only func(match string) bool
}

const (
	digits = "0123456789"
	months = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*`
	days   = `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?`
	clock  = `\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm]\b)?(?: ?(?:UTC|GMT|CES?T|EE?S?T|EDT|PST|PDT|CST|CDT|MST|MDT|BST|IST|JST)\b|Z\b|[+-]\d{2}:?\d{2}\b)?`
	unit   = `(?:ns|µs|μs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)`
	number = `\d+(?:[.,_]\d+)*(?:[eE][-+]?\d+)?`
	inPath = "[^\\s\"'`()\\[\\]{}<>,;:|/\\\\]" // a character of a path's element
	place  = `(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)|:?\[\d+,\d+\])?`
)

// volatile returns the rules in their order. They take out whole values before their parts: a path
// before the numbers in it. What they put in has no digit and no slash, so none of them matches it.
var volatile = sync.OnceValue(func() []rule {
	return []rule{
		{match: regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s"'` + "`" + `<>()\[\]{},;]+(?:\[[0-9a-fA-F:]+\][^\s"'` + "`" + `<>(){},;]*)?`), with: "<url>", hints: "/"},
		{match: regexp.MustCompile(`\b[A-Za-z]:\\(?:` + inPath + `+\\)*` + inPath + `*` + place), with: "<path>", hints: "\\"},
		// An absolute path, or one from the present folder or a home folder.
		{match: regexp.MustCompile(`(^|[^\w.~/<-])(?:~|\.{1,2})?/(?:` + inPath + `+/*)+` + place), with: "$1<path>", hints: "/"},
		// A relative one: a file with an ending.
		{match: regexp.MustCompile(`(?:[\w.@~+-]+/)+[\w@~+-]*(?:\.[A-Za-z]\w*)+` + place), with: "<path>", hints: "/"},
		// A session's, in what mulligan itself tells.
		{match: regexp.MustCompile(`\b\d{8}-\d{6}-[a-z0-9]{4}\b`), with: "<id>", hints: digits},
		{match: regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), with: "<id>", hints: digits},
		{match: regexp.MustCompile(`\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]` + clock + `)?`), with: "<time>", hints: digits},
		{match: regexp.MustCompile(`\b` + days + `\d{1,2}[ -]` + months + `[ -]\d{4}(?: ` + clock + `)?`), with: "<time>", hints: digits},
		{match: regexp.MustCompile(`\b` + days + months + ` +\d{1,2}\b,?(?: ` + clock + `)?(?: \d{4}\b)?`), with: "<time>", hints: digits},
		{match: regexp.MustCompile(`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AaPp][Mm]\b)?(?: ?(?:UTC|GMT)\b|Z\b|[+-]\d{2}:?\d{2}\b)?`), with: "<time>", hints: digits},
		{match: regexp.MustCompile(`\b(?:\d+(?:\.\d+)? ?` + unit + `\b|(?:\d+(?:\.\d+)?` + unit + `)+\b)`), with: "<time>", hints: digits},
		{match: regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\b`), with: "<hex>", hints: digits},
		{match: regexp.MustCompile(`(?i)\b(?:tmp|temp)[-_.]?\w*\d\w*|\btmp\.[A-Za-z0-9]{6,}\b`), with: "<temp>", hints: "tT"},
		{match: regexp.MustCompile(`\b[0-9a-fA-F]{7,}\b`), with: "<hex>", only: hasDigitAndLetter, hints: digits},
		{match: regexp.MustCompile(`\d{5,}`), with: "#", hints: digits},
		// A number stands by itself: the one in TS2322 or utf8 is part of a name.
		{match: regexp.MustCompile(`(^|[^\p{L}\p{N}_])[-+]?` + number + `(?: ?(?:[kKMGT]i?B|bytes?)\b)?`), with: "${1}#", hints: digits},
	}
})

func hasDigitAndLetter(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) && strings.ContainsFunc(s, unicode.IsLetter)
}

func (r rule) apply(s string) string {
	if !strings.ContainsAny(s, r.hints) {
		return s
	}
	if r.only == nil {
		return r.match.ReplaceAllString(s, r.with)
	}
	return r.match.ReplaceAllStringFunc(s, func(match string) string {
		if r.only(match) {
			return r.with
		}
		return match
	})
}

// Normalize returns a line of output without what differs between two runs of the same failure:
// escape sequences, paths, numbers, times, durations, addresses, ids and temporary names. Codes such
// as E0308 stay: they are the class of an error. The result is bounded, and normalising it again
// changes nothing.
func Normalize(line string) string {
	s := cleanLine(line)
	for { // a pass never adds what another one takes out: this ends
		next := s
		for _, r := range volatile() {
			next = r.apply(next)
		}
		if next = text.Clip(text.OneLine(next), maxNormal); next == s {
			return s
		}
		s = next
	}
}

// cleanLine returns the start of a text in one line, without escape sequences and control characters.
func cleanLine(line string) string {
	if len(line) > maxRaw {
		line = line[:maxRaw]
	}
	var escapes escape.Parser
	line = strings.Map(func(r rune) rune {
		switch {
		case escapes.Next(r) != escape.Text:
			return -1
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, ""))
	return text.OneLine(line)
}

// tellingWords are in the lines that tell what is wrong.
var tellingWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:\w*errors?|\w*exception|fail\w*|fatal|panic\w*|abort\w*|assert\w*|expect\w*|actual|got|want|cannot|can't|could not|couldn't|unable|` +
		`undefined|unexpected|unknown|invalid|illegal|missing|mismatch\w*|not found|no such|not ok|denied|refused|unresolved|timed out|timeout|crash\w*|killed|segmentation|exit code|does not|doesn't|did not|didn't|must|wrong|broken|✗|✘)\b|[✗✘×]|\*\*\*`)
})

// IsTelling reports whether a line has a word by which programs tell what is wrong.
func IsTelling(line string) bool {
	return tellingWords().MatchString(line[:min(len(line), maxRaw)])
}

// ErrorClass returns the class of an error: the first line of its message that tells what is wrong,
// else the first line, normalised.
func ErrorClass(message string) string {
	first := ""
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line == "" || line == "…" {
			continue
		}
		if IsTelling(line) {
			return Normalize(line)
		}
		if first == "" {
			first = line
		}
	}
	return Normalize(first)
}
