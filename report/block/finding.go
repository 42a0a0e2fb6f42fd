package block

import (
	"slices"
	"strings"
)

// A finding is an item as a JSON or XML document has it.
type finding struct {
	name     string
	file     string
	line     string
	column   string
	severity string
	message  string
	rule     string
	test     bool     // a test, rather than a place that a linter complains about
	rendered string   // the whole, as the tool would print it
	extra    []string // expected and actual, source, notes
	tier     Tier
}

// pick returns the value of the first of the keys that a field has, without regard to what the
// field stands in; fields of the object itself come before those of what is in it.
func pick(fields []jsonField, keys ...string) string {
	for _, k := range keys {
		deep := ""
		for _, f := range fields {
			if f.key == k {
				return f.value
			}
			if deep == "" && len(f.key) > len(k) && f.key[len(f.key)-len(k)-1] == '.' && strings.HasSuffix(f.key, k) && !isEndOfRange(f.key) {
				deep = f.value
			}
		}
		if deep != "" {
			return deep
		}
	}
	return ""
}

// isEndOfRange reports whether a field stands in the end of a range of source, or in what only
// explains the item.
func isEndOfRange(key string) bool {
	for part := range strings.SplitSeq(key, ".") {
		switch part {
		case "end", "finish", "children", "fix", "fixits", "fixes", "suggestions", "relatedInformation", "related", "notes":
			return true
		}
	}
	return false
}

func pickFile(fields []jsonField) string {
	f := pick(fields, "filePath", "file", "path", "filename", "Filename", "fileName", "file_path", "file_name", "uri", "source", "src", "name", "module")
	if len(f) > 300 || strings.ContainsAny(f, "\n") || !strings.ContainsAny(f, "./\\") || strings.Contains(f, " ") {
		return ""
	}
	return f
}

// readFinding reports the item that an object is, or nil if it is none.
func readFinding(fields []jsonField) *finding {
	x := &finding{
		name:     pick(fields, "fullName", "fullTitle", "full_description", "nodeid", "testName", "name", "title"),
		message:  pick(fields, "message", "Text", "text", "msg", "description", "issue_text", "error_message", "failureMessages", "errorMessage", "longrepr", "stack", "error"),
		line:     pick(fields, "line", "Line", "startLine", "line_number", "lineNumber", "lineno", "row", "line_start", "beginLine"),
		column:   pick(fields, "column", "Column", "col", "startColumn", "column_start", "character", "offset"),
		severity: strings.ToLower(pick(fields, "severity", "level", "Severity", "issue_severity", "kind", "type")),
		rule:     pick(fields, "ruleId", "rule", "code", "FromLinter", "symbol", "rule_id", "check_name", "code.code", "test_id", "cop_name", "option", "linter"),
		rendered: pick(fields, "rendered"),
		file:     pickFile(fields),
	}
	if posn := pick(fields, "posn"); posn != "" {
		x.file, x.line = posn, ""
		x.tier = Failure
	}
	status := strings.ToLower(pick(fields, "status", "outcome", "state", "result"))
	failing := slices.Contains([]string{"failed", "fail", "failure", "error", "errored", "broken", "timedout"}, status)
	thrown := status == "" && hasThrown(fields)
	bad := isBadSeverity(x.severity)
	switch {
	case slices.Contains([]string{"passed", "pass", "ok", "success", "skipped", "pending", "todo", "disabled"}, status):
		return nil
	case (failing || thrown) && (x.name != "" || x.message != ""):
		x.test = true
		if isNumber(x.line) && x.file == x.name {
			x.name = ""
		}
	case x.rendered != "" && (bad || x.severity == "warning"):
	case x.message == "":
		return nil
	case x.line != "" || strings.Contains(x.file, ":"):
		if isMildSeverity(x.severity) {
			x.tier = Warning
		}
	case bad:
		x.tier = Complaint
		x.line = ""
	default:
		return nil
	}
	x.readExtra(fields)
	return x
}

// hasThrown reports whether an object has an error with a message.
func hasThrown(fields []jsonField) bool {
	return slices.ContainsFunc(fields, func(f jsonField) bool {
		switch f.key {
		case "err.message", "error.message", "exception.message", "err.stack", "failure.message":
			return true
		}
		return false
	})
}

func isNumber(s string) bool { return s != "" && countDigits([]byte(s)) == len(s) }

func isBadSeverity(s string) bool {
	return slices.Contains([]string{"error", "fatal", "critical", "err", "panic", "severe", "alert", "emergency", "high"}, s)
}

func isMildSeverity(s string) bool {
	return slices.Contains([]string{"warning", "warn", "1", "info", "information", "note", "style", "hint", "convention", "refactor", "low", "minor", "medium"}, s)
}

// readExtra takes what else makes the item whole.
func (x *finding) readExtra(fields []jsonField) {
	seen := map[string]bool{}
	notes := 0
	for _, f := range fields {
		key := f.key[strings.LastIndexByte(f.key, '.')+1:]
		value := strings.TrimRight(f.value, "\n")
		if value == "" || value == x.message || strings.Contains(x.message, value) || seen[key] && key != "SourceLines" && key != "failureMessages" {
			continue
		}
		switch key {
		case "class":
			if x.test {
				x.extra = append(x.extra, value)
			}
		case "expected", "actual", "operator":
			x.extra = append(x.extra, splitLabel(key, value)...)
		case "SourceLines", "snippet", "failureMessages", "stack", "backtrace", "trace", "stackTrace", "stacktrace", "evidence", "highlight":
			x.extra = append(x.extra, strings.Split(value, "\n")...)
		case "message", "text", "label":
			if notes++; notes > 3 || !strings.Contains(f.key, ".") || strings.Contains(f.key, "fix") {
				continue
			}
			x.extra = append(x.extra, splitLabel("note", value)...)
		default:
			if x.tier != Complaint || len(x.extra) > 12 || isLogFrame(key) || value == x.severity || value == x.name {
				continue
			}
			x.extra = append(x.extra, splitLabel(key, value)...) // what a program logs with its message
		}
		seen[key] = true
	}
}

// isLogFrame reports whether a field of a log line is there in every line.
func isLogFrame(key string) bool {
	switch key {
	case "time", "ts", "timestamp", "@timestamp", "date", "level", "severity", "msg", "v", "pid", "hostname", "host":
		return true
	}
	return false
}

func splitLabel(label, value string) []string {
	return strings.Split(label+": "+value, "\n")
}

// makeBlock returns the item as lines.
func (x *finding) makeBlock() *Block {
	b := &Block{Tier: x.tier, File: x.file, mode: decoded}
	if x.rendered != "" {
		b.mode, b.Tier = rustic, Failure
		b.addDecoded(strings.Split(strings.TrimRight(x.rendered, "\n"), "\n")...)
		if x.severity == "warning" {
			b.Tier = Warning
		}
		b.Kind = "rendered " + readCode([]byte(b.Lines[0].Text))
		b.key = hashText(hashSeed, []byte(x.rendered))
		return b
	}
	place := x.file
	if x.line != "" {
		place += ":" + x.line
		if x.column != "" && isNumber(x.column) {
			place += ":" + x.column
		}
	}
	message := strings.Split(strings.TrimRight(x.message, "\n"), "\n")
	if x.test {
		head := "FAIL " + x.name
		if place != "" {
			head += " (" + place + ")"
		}
		b.Kind = "test"
		b.addDecoded(head)
		b.addDecoded(message...)
	} else {
		b.Kind = "finding " + x.rule
		b.addDecoded(x.makeHead(place, message[0]))
		b.addDecoded(message[1:]...)
	}
	b.addDecoded(x.extra...)
	b.key = hashText(hashSeed, []byte(b.Lines[0].Text))
	return b
}

// makeHead returns the first line: `src/a.js:3:7: error: text (rule)`.
func (x *finding) makeHead(place, message string) string {
	var head strings.Builder
	if place != "" {
		head.WriteString(place + ": ")
	}
	switch x.severity {
	case "2":
		head.WriteString("error: ")
	case "1":
		head.WriteString("warning: ")
	case "", "0":
	default:
		head.WriteString(x.severity + ": ")
	}
	head.WriteString(message)
	if x.rule != "" && !strings.Contains(message, x.rule) {
		head.WriteString(" (" + x.rule + ")")
	}
	return head.String()
}
