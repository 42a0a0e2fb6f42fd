package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mulligan/internal/escape"
	"mulligan/internal/text"
)

// How many characters are shown of each part of a line of a transcript.
const (
	maxSaid    = 4_000 // of what a person or the agent said
	maxResult  = 1_600 // of what a tool returned
	maxCommand = 4_000 // of a command
	maxField   = 300   // of any other field of a tool's input
	maxFields  = 12    // fields of a tool's input
	maxMessage = 9_000 // of a message, after which no other part of it is shown
	maxTodos   = 40    // entries of a list of items
)

// renderLine returns what a line of a transcript shows: "" if it shows nothing.
func renderLine(l line) string {
	said, _ := l.Content.(string)
	switch {
	case l.isMessage():
		return renderMessage(l)
	case l.Type == "summary":
		return renderPart("summary of what came before", clipEnds(l.Summary, maxSaid))
	case l.Type == "system":
		return renderPart("the agent's program", clipEnds(said, maxResult))
	}
	return ""
}

// renderMessage returns what a message shows: its blocks, as long as there is room.
func renderMessage(l line) string {
	var all strings.Builder
	for i, b := range l.Message.Content {
		if all.Len() > maxMessage {
			return all.String() + fmt.Sprintf("[… %s of this message left out …]\n", text.Count(len(l.Message.Content)-i, "part"))
		}
		all.WriteString(renderBlock(l, b))
	}
	return all.String()
}

// renderBlock returns what a block of a message shows. Thinking is left out.
func renderBlock(l line, b block) string {
	who := "agent"
	switch {
	case l.Sidechain:
		who = "subagent"
	case l.Type == "user":
		who = "user"
	}
	switch b.Type {
	case "text":
		return renderPart(who, clipEnds(b.Text, maxSaid))
	case "tool_use":
		return renderPart(who+" calls "+cleanLine(text.Clip(b.Name, 100)), renderInput(b.Input))
	case "tool_result":
		result := clipEnds(b.resultText(), maxResult)
		if strings.TrimSpace(result) == "" {
			result = "(nothing)"
		}
		if b.IsError {
			return renderPart("result, an ERROR", result)
		}
		return renderPart("result", result)
	case "thinking", "redacted_thinking", "":
		return ""
	}
	return renderPart(who, "("+cleanLine(text.Clip(b.Type, 100))+")")
}

// renderPart returns a heading and, indented below it, its text; "" if the text is blank.
func renderPart(heading, body string) string {
	body = strings.TrimRight(cleanText(body), " \t\n")
	if strings.TrimSpace(body) == "" {
		return ""
	}
	return heading + ":\n  " + strings.ReplaceAll(body, "\n", "\n  ") + "\n"
}

// firstFields are the fields of a tool's input that tell most, in the order in which they are shown.
var firstFields = []string{"command", "file_path", "notebook_path", "path", "pattern", "url", "query", "subject", "content", "status", "description", "prompt"}

// bulkyFields are fields that hold a file's text: the diff shows it.
var bulkyFields = []string{"content", "old_string", "new_string", "new_source", "edits", "file_text", "old_str", "new_str"}

// renderInput returns the telling part of a tool's input, a line for each field.
func renderInput(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return text.Clip(string(input), maxField)
	}
	if len(fields) == 0 {
		return "(no input)"
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := rankField(a), rankField(b); x != y {
			return x - y
		}
		return strings.Compare(a, b)
	})
	var lines []string
	for i, name := range names {
		if i == maxFields {
			lines = append(lines, "… "+text.Count(len(names)-i, "more field"))
			break
		}
		lines = append(lines, cleanLine(text.Clip(name, 60))+": "+renderField(name, fields[name], fields))
	}
	return strings.Join(lines, "\n")
}

// rankField returns the place of a field among those of an input.
func rankField(name string) int {
	if i := slices.Index(firstFields, name); i >= 0 {
		return i
	}
	return len(firstFields)
}

// renderField returns a field of a tool's input.
func renderField(name string, value json.RawMessage, all map[string]json.RawMessage) string {
	var s string
	isText := json.Unmarshal(value, &s) == nil
	_, ofFile := all["file_path"]
	_, ofPath := all["path"]
	switch {
	case name == "todos":
		return renderTodos(value)
	case slices.Contains(bulkyFields, name) && (name != "content" || ofFile || ofPath):
		if isText {
			return "(" + text.Count(utf8.RuneCountInString(s), "character") + ")"
		}
		return "(" + text.Count(len(value), "byte") + ")"
	case isText && name == "command":
		return clipEnds(s, maxCommand)
	case isText:
		return clipEnds(s, maxField)
	}
	return text.Clip(string(value), maxField)
}

// renderTodos returns a list of items, each with its status.
func renderTodos(value json.RawMessage) string {
	var todos []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	if ignoreTypes(json.Unmarshal(value, &todos)) != nil {
		return text.Clip(string(value), maxField)
	}
	var b strings.Builder
	for i, t := range todos {
		if i == maxTodos {
			fmt.Fprintf(&b, "\n  … %d more", len(todos)-i)
			break
		}
		fmt.Fprintf(&b, "\n  [%s] %s", cleanLine(text.Clip(t.Status, 40)), cleanLine(text.Clip(t.Content, maxField)))
	}
	return b.String()
}

// clipEnds shortens a text to about n characters: its beginning and, twice as long, its end.
func clipEnds(s string, n int) string {
	count := utf8.RuneCountInString(s)
	if count <= n+n/8 {
		return s
	}
	head, tail := n/3, n-n/3
	return s[:runeIndex(s, head)] + fmt.Sprintf("\n[… %s left out here …]\n", text.Count(count-n, "character")) + s[runeIndex(s, count-tail):]
}

// runeIndex returns where in s the character number n begins.
func runeIndex(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// cleanText returns text without escape sequences, control characters and characters that reorder or
// hide text, in valid UTF-8. Line breaks and tabs stay.
func cleanText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	var escapes escape.Parser
	for _, r := range s {
		if escapes.Next(r) != escape.Text {
			continue
		}
		switch {
		case r == '\r', r == '\u2028', r == '\u2029', r == '\v', r == '\f':
			b.WriteByte('\n')
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d', !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cleanLine returns cleanText on one line.
func cleanLine(s string) string { return text.OneLine(cleanText(s)) }
