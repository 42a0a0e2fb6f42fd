package block

import "bytes"

// classifyLabel reads the errors that a label marks: `error: text`, `error[E0425]: text`,
// `TypeError: text`, `Exception in thread "main" …`, `fatal: text`, `tool: error: text`, and log
// lines with such a level.
func classifyLabel(l *line, word int) (start, bool) {
	if l.bits&(hasError|hasFatal|hasExcept|hasWarn|hasFail) == 0 {
		return start{}, false
	}
	t := l.text
	if st, ok := classifyRust(l); ok {
		return st, true
	}
	if hasPrefix(t, "Exception in thread ") || hasPrefix(t, "Unhandled exception") || hasPrefix(t, "Uncaught ") || hasPrefix(t, "PHP Fatal error") || hasPrefix(t, "PHP Parse error") {
		return start{tier: Failure, kind: "exception", mode: javaTrace}, true
	}
	i := bytes.IndexByte(t[:min(len(t), 200)], ':')
	if i > 0 && (i+1 == len(t) || t[i+1] == ' ' || t[i+1] == '\t') {
		if st, ok := classifyColonLabel(l, t[:i], t[i+1:]); ok {
			return st, true
		}
	}
	if word > levelWidth {
		return start{}, false
	}
	return classifyLevel(l)
}

// levelWidth is how much of a line may come before the level of a log.
const levelWidth = 90

// classifyRust reads `error[E0308]: mismatched types` and `warning: unused variable`.
func classifyRust(l *line) (start, bool) {
	t := l.text
	if l.indent > 0 || !hasAnyPrefix(t, "error: ", "error[", "warning: ", "warning[", "error(") {
		return start{}, false
	}
	word, rest := readSeverity(t)
	if containsAny(rest[:min(len(rest), 80)], "aborting due to ", "could not compile ", " generated ", "build failed") {
		return start{tier: Hint, kind: "total", mode: single}, true
	}
	st := start{tier: Failure, kind: word + " " + readCode(rest), mode: rustic}
	if word == "warning" {
		st.tier = Warning
	}
	return st, true
}

// classifyColonLabel judges the word before the first colon.
func classifyColonLabel(l *line, label, rest []byte) (start, bool) {
	st := start{tier: Complaint, kind: clipEnd(string(label), 60), mode: paragraph}
	if j := bytes.IndexByte(label, '['); j > 0 && hasSuffix(label, "]") {
		label = label[:j]
	}
	switch string(label) {
	case "error", "Error", "ERROR", "fatal", "fatal error", "FATAL", "Fatal error", "Fatal", "FATAL ERROR", "Uncaught Error", "ERR!":
		return st, len(bytes.TrimSpace(rest)) > 0
	case "AssertionError":
		st.tier, st.mode = Failure, javaTrace
		return st, true
	}
	if bytes.IndexByte(label, ' ') < 0 && isExceptionName(label) {
		st.mode = javaTrace
		return st, true
	}
	// `tool: error: text`, `tool: fatal: text`; `npm ERR! …` is npm's trailer.
	word, _ := readSeverity(bytes.TrimLeft(rest, " "))
	if (word == "error" || word == "fatal" || word == "fatal error") && len(label) < 60 && bytes.Count(label, []byte(" ")) < 2 {
		st.kind, st.mode = "tool "+st.kind, single
		return st, true
	}
	return start{}, false
}

// isExceptionText reports whether a text begins with the class of an error: `ValueError: no`.
func isExceptionText(p []byte) bool {
	i := bytes.IndexByte(p, ':')
	return i > 0 && i < 80 && isExceptionName(p[:i])
}

// isExceptionName reports whether a word names a class of errors.
func isExceptionName(p []byte) bool {
	if len(p) < 5 || !isLetter(p[0]) && p[0] != '_' {
		return false
	}
	for _, c := range p {
		if !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '$' && c != ':' {
			return false
		}
	}
	return hasAnySuffix(p, "Error", "Exception", "Failure", "Fault") && containsAny(p, "Error", "Exception", "Failure", "Fault") &&
		(isUpper(p[0]) || bytes.IndexByte(p, '.') > 0)
}

// classifyLevel reads a log line: the level stands near its start, as a word of its own in
// capitals, in brackets, or as `level=error`.
func classifyLevel(l *line) (start, bool) {
	t := l.text
	head := t[:min(len(t), levelWidth)]
	for _, level := range []string{"ERROR", "FATAL", "CRITICAL", "SEVERE", "level=error", "level=fatal", "[error]", "[fatal]", "npm ERR!", "npm error", "[Error]", "Error:"} {
		i := bytes.Index(head, []byte(level))
		if i < 0 || i > 0 && (isLetter(head[i-1]) || head[i-1] == '_' || head[i-1] == '-') {
			continue
		}
		end := i + len(level)
		if end < len(t) && (isLetter(t[end]) || t[end] == '_' || t[end] == '=') {
			continue
		}
		st := start{tier: Complaint, kind: "log " + clipEnd(shapeOf(t[end:]), 40), mode: logLine}
		if hasPrefix([]byte(level), "npm") {
			st.tier, st.kind, st.mode = Hint, "npm", single
		}
		if i == 0 || isLogHead(t[:i]) {
			return st, true
		}
	}
	return start{}, false
}

// isLogHead reports whether what stands before a level may be the head of a log line: a time, a
// thread, a logger, rather than a sentence.
func isLogHead(p []byte) bool {
	words := 0
	for w := range bytes.FieldsSeq(p) {
		if isLetter(w[0]) && w[len(w)-1] != ']' && w[len(w)-1] != ':' && w[len(w)-1] != '|' {
			words++
		}
	}
	return words <= 2
}

// shapeOf returns a text without what varies: its numbers.
func shapeOf(p []byte) string {
	out := make([]byte, 0, 64)
	for _, c := range p {
		if isDigit(c) {
			continue
		}
		if out = append(out, c); len(out) >= 40 {
			break
		}
	}
	return string(out)
}
