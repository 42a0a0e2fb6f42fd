package block

import "bytes"

// isTellingText reports whether a line tells what differs: what was expected and what came, a
// line of a diff, an error's message.
func isTellingText(raw []byte) bool {
	t := bytes.TrimSpace(raw)
	if len(t) == 0 {
		return false
	}
	switch t[0] {
	case '+', '-':
		return !isMadeOf(t, t[0], 3) && !hasAnyPrefix(t, "->", "+>", "--> ")
	case '>':
		return hasPrefix(raw, "> ") && len(raw) > 4
	case '[':
		return hasAnyPrefix(t, "[ERROR]", "[error]")
	}
	t = t[:min(len(t), 400)]
	return isPytestError(raw) || isExpectation(t) || isExceptionText(t) ||
		hasAnyPrefix(t, "error:", "Error:", "ERROR:", "panic:", "Caused by:", "SUMMARY:")
}

// isPytestError reports whether a line is of pytest's message: `E   assert 1 == 2`.
func isPytestError(raw []byte) bool { return hasAnyPrefix(raw, "E ", "E\t") }

// isDifference reports whether a line of a long message tells what differs, rather than what is
// the same: pytest marks all of its message.
func isDifference(raw []byte) bool {
	if isPytestError(raw) {
		raw = bytes.TrimLeft(raw[1:], " \t")
	}
	return len(raw) > 0 && isTellingText(raw)
}

// expectations are the words by which assertions name their two sides.
var expectations = []string{
	"expect", "actual", "assert", "received", "right:", "left:", "got ", "got:", "got=", "want ", "want:", "want=",
	"failure/error", "found:", "failed asserting",
}

// isExpectation reports whether one of the expectations stands in a line as the start of a word.
func isExpectation(t []byte) bool {
	for i := range t {
		if i > 0 && (isLetter(t[i-1]) || isDigit(t[i-1])) {
			continue
		}
		for _, word := range expectations {
			if t[i]|0x20 == word[0] && foldHas(t[i:], word) {
				return true
			}
		}
	}
	return false
}

// frame matches a frame of a stack trace.
var frame = lazily(`^(?:at (?:.*[:(/]|.{1,116}$)|by 0x|from .*:|File ".*, line |# \.?/|#\d+ .*(?:0x|[(/])|❯ .*:|\.\.\. \d|[/\\].*:\d+(?:$| \+0x))`)

// rustFrame matches a frame of Rust's, `12: core::panic`, and what looks like one.
var rustFrame = lazily(`^\d[^ ]{0,9}: .*(?:::|0x)`)

// isFrame reports whether a line is a frame of a stack trace.
func isFrame(raw []byte) bool {
	t := bytes.TrimLeft(raw[measureWrapper(raw):], " \t")
	if len(t) == 0 || bytes.IndexByte([]byte("abfF#./\\\xE20123456789"), t[0]) < 0 { // most lines
		return false
	}
	return frame().Match(t) || rustFrame().Match(t) && !containsAny(t, "rror")
}

// isOwnFrame reports whether a frame is in the user's own code.
func isOwnFrame(t []byte) bool {
	return !containsAny(t, "node_modules/", "node:", "(internal/", "site-packages/", "dist-packages/", "/lib/python", "<frozen", "/usr/lib/", "/usr/include/",
		"java.base/", "java.util.", "java.lang.", "jdk.internal.", "sun.reflect.", "org.junit.", "org.gradle.", "org.apache.maven", "junit.framework.", "org.testng.",
		"/rustc/", ".cargo/registry", "/src/testing/", "/src/runtime/", "/gems/", "/ruby/", "vendor/", "System.", "Xunit.", "NUnit.", "<anonymous>)", "libc.so", "libc_start", "libasan", "core::", "std::", "_pytest/", "unittest/")
}

// hasPlaceIn reports whether a line tells where it happened: `a.cc:3: Failure`, `at t/a.t line 3.`,
// `thread 'x' panicked at src/a.rs:3:5:`, `(in test file a.bats, line 3)`.
func hasPlaceIn(t []byte) bool {
	if _, ok := readPlace(t); ok {
		return true
	}
	if i := bytes.Index(t, []byte(" line ")); i > 0 && i+6 < len(t) && isDigit(t[i+6]) {
		return true
	}
	return containsAny(t, "panicked at ")
}

// isMarkedSource reports whether a line is the marked line of a code frame: `> 11 | expect(x)`.
func isMarkedSource(t []byte) bool { return len(t) > 2 && t[0] == '>' && isCodeFrame(t) }

// isCodeFrame reports whether a line is of a code frame: `10 | x`, `| ^`, `11| x`.
func isCodeFrame(t []byte) bool {
	t = bytes.TrimLeft(t, "> ")
	n := countDigits(t)
	rest := bytes.TrimLeft(t[n:], " ")
	return len(rest) > 0 && (rest[0] == '|' || hasPrefix(rest, "│")) && (n > 0 || rest[0] == '|')
}
