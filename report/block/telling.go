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
		return !isMadeOf(t, t[0], 3) && (len(t) == 1 || t[1] != '>') && !hasPrefix(t, "--> ")
	case 'E':
		if raw[0] == 'E' && len(raw) > 1 && (raw[1] == ' ' || raw[1] == '\t') {
			return true
		}
	case '>':
		return raw[0] == '>' && len(raw) > 4 && raw[1] == ' '
	case '[':
		return hasPrefix(t, "[ERROR]") || hasPrefix(t, "[error]")
	}
	if len(t) > 400 {
		t = t[:400]
	}
	if isExpectation(t) {
		return true
	}
	i := bytes.IndexByte(t, ':')
	if i > 0 && i < 120 {
		if isExceptionName(t[:i]) || hasAnyPrefix(t, "error:", "Error:", "ERROR:", "panic:", "Caused by:", "SUMMARY:") {
			return true
		}
	}
	return false
}

// isDifference reports whether a line of a long message tells what differs, rather than what is
// the same: pytest marks all of its message.
func isDifference(raw []byte) bool {
	if len(raw) > 1 && raw[0] == 'E' && (raw[1] == ' ' || raw[1] == '\t') {
		raw = bytes.TrimLeft(raw[1:], " \t")
	}
	return len(raw) > 0 && isTellingText(raw)
}

// isExpectation reports whether a line has one of the words by which assertions name their two
// sides.
func isExpectation(t []byte) bool {
	for i := 0; i < len(t); i++ {
		if i > 0 && (isLetter(t[i-1]) || isDigit(t[i-1])) {
			continue
		}
		switch t[i] | 0x20 {
		case 'e':
			if foldHas(t[i:], "expect") {
				return true
			}
		case 'a':
			if foldHas(t[i:], "actual") || foldHas(t[i:], "assert") {
				return true
			}
		case 'r':
			if foldHas(t[i:], "received") || foldHas(t[i:], "right:") {
				return true
			}
		case 'l':
			if foldHas(t[i:], "left:") {
				return true
			}
		case 'g':
			if foldHas(t[i:], "got ") || foldHas(t[i:], "got:") || foldHas(t[i:], "got=") {
				return true
			}
		case 'w':
			if foldHas(t[i:], "want ") || foldHas(t[i:], "want:") || foldHas(t[i:], "want=") {
				return true
			}
		case 'f':
			if foldHas(t[i:], "failure/error") || foldHas(t[i:], "found:") || foldHas(t[i:], "failed asserting") {
				return true
			}
		}
	}
	return false
}

// isFrame reports whether a line is a frame of a stack trace.
func isFrame(raw []byte) bool {
	t := bytes.TrimLeft(raw[measureWrapper(raw):], " \t")
	if len(t) < 4 {
		return false
	}
	switch t[0] {
	case 'a':
		return hasPrefix(t, "at ") && (containsAny(t, ":", "(", "/") || len(t) < 120)
	case 'b':
		return hasPrefix(t, "by 0x")
	case 'f':
		return hasPrefix(t, "from ") && containsAny(t, ":")
	case 'F':
		return hasPrefix(t, `File "`) && containsAny(t, ", line ")
	case '#':
		if hasPrefix(t, "# ./") || hasPrefix(t, "# /") {
			return true
		}
		n := countDigits(t[1:])
		return n > 0 && len(t) > n+2 && t[n+1] == ' ' && containsAny(t, "0x", "(", "/")
	case 0xE2:
		return hasPrefix(t, "❯ ") && containsAny(t, ":")
	case '.':
		return hasPrefix(t, "... ") && isDigit(t[4%len(t)])
	case '/', '\\':
		return isGoFrame(t)
	}
	return isDigit(t[0]) && containsAny(t[:min(len(t), 12)], ": ") && containsAny(t, "::", "0x") && !containsAny(t, "rror")
}

// isGoFrame reads `/src/a.go:12 +0x1d` and what else is a path with a line and no text.
func isGoFrame(t []byte) bool {
	i := bytes.LastIndexByte(t, ':')
	if i < 0 || !isDigit(t[min(i+1, len(t)-1)]) {
		return false
	}
	rest := t[i+1+countDigits(t[i+1:]):]
	return len(rest) == 0 || hasPrefix(rest, " +0x") || hasPrefix(rest, ":in ")
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
