package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mulligan"
)

// ToolPermit is the tool by which an agent's program asks whether the agent may do something. It is
// none of the model's tools; a model that calls it has asked a person a question, and no more.
const ToolPermit = "permit"

// AskerPermit is the asker of such a question. A question of the agent itself is never taken for
// it, even if the words are the same.
const AskerPermit = "agent's program"

// The answers to a question of permission.
const (
	Allow  = "allow"
	Always = mulligan.AnswerAlways // and the same for the rest of the session
	Deny   = "deny"
)

// PermitArgs is what an agent wants to do.
type PermitArgs struct {
	What string `json:"what"`
	// Same is what a person allows who allows the same for the rest of the session, in words; "" if that
	// cannot be chosen.
	Same string `json:"same,omitempty"`
}

// SameEdits is what is the same about edits.
const SameEdits = "every edit of files"

// maxSame is how many characters of PermitArgs.Same a person reads. What is longer cannot be chosen.
const maxSame = 200

// SameCommand returns what is the same about a command: that command alone.
func SameCommand(command string) string {
	if command = strings.TrimSpace(command); command == "" {
		return ""
	}
	return "this very command: " + command
}

// SameUse returns what is the same about a call of a tool: edits, the command, the tool.
func SameUse(tool string, input json.RawMessage) string {
	var fields struct {
		Command string `json:"command"`
	}
	switch tool {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		return SameEdits
	case "Bash":
		if json.Unmarshal(input, &fields) != nil {
			return ""
		}
		return SameCommand(fields.Command)
	}
	return "every use of " + tool
}

// How many characters a person sees of what an agent wants to do: from its beginning, where most
// is, and from its end.
const (
	permitHead = 1600
	permitTail = 400
)

// DecodePermit returns the question that a request for permission asks a person.
func DecodePermit(args json.RawMessage) (mulligan.Question, error) {
	var a PermitArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return mulligan.Question{}, refuse("permit: %v", err)
	}
	if strings.TrimSpace(a.What) == "" {
		return mulligan.Question{}, refuse("permit: what is empty: say what is to be allowed")
	}
	q := mulligan.Question{
		Text: "May the agent do this? " + presentText(a.What), Options: []string{Allow, Deny}, Default: Deny, Asker: AskerPermit,
	}
	if utf8.RuneCountInString(a.Same) <= maxSame && a.Same != "" && escapeInvisible(a.Same) == a.Same && !strings.Contains(a.Same, "\n") {
		q.Scope, q.Options = a.Same, []string{Allow, Always, Deny}
	}
	return q, nil
}

// Allows reports whether a person allows what was asked about.
func (a Answer) Allows() bool {
	return a.By == mulligan.ByPerson && (a.Answer == Allow || a.Answer == Always)
}

// presentText returns a text as a person sees it: bounded, and with nothing that hides a part of
// it. An answer counts for every question of the same words, so a text that was changed carries the
// digest of the whole.
func presentText(text string) string {
	shown := []rune(escapeInvisible(text))
	if left := len(shown) - permitHead - permitTail; left > 0 {
		text := fmt.Sprintf("%s\n[… %d characters left out …]\n%s", string(shown[:permitHead]), left, string(shown[len(shown)-permitTail:]))
		shown = []rune(text)
	}
	if string(shown) == text {
		return text
	}
	return string(shown) + " " + digestMark(text)
}

// digestMark tells texts apart that look alike.
func digestMark(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "[sha256 " + hex.EncodeToString(sum[:16]) + "]"
}

// escapeInvisible writes out what a screen would not show, or would show elsewhere than it is.
func escapeInvisible(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// tellingInputs are the inputs that tell what a call of a tool does, the best first.
var tellingInputs = []string{"command", "file_path", "notebook_path", "path", "url", "pattern", "query", "skill", "prompt"}

const fieldShown = 300 // characters of an input that is not the telling one

// diffLines returns the lines of two texts, each after a line end: those that both begin and end with once, the others
// as a diff has them. No two pairs of texts have the same.
func diffLines(before, after string) string {
	old, fresh := splitLines(before), splitLines(after)
	head := 0
	for head < len(old) && head < len(fresh) && old[head] == fresh[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(fresh)-head && old[len(old)-1-tail] == fresh[len(fresh)-1-tail] {
		tail++
	}
	var b strings.Builder
	put := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString("\n" + mark + line)
		}
	}
	put(" ", old[:head])
	put("-", old[head:len(old)-tail])
	put("+", fresh[head:len(fresh)-tail])
	put(" ", old[len(old)-tail:])
	return b.String()
}

// splitLines returns the lines of a text, the last one empty if the text ends with a line end; "" has none.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// Wish returns what a call of a tool would do, in words: the tool, its telling input as it is, and
// the others as JSON, in a line each. Only the server knows what the inputs of a server's tool
// mean.
func Wish(tool string, input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return strings.TrimSpace(tool + ": " + string(input))
	}
	if change, ok := showEdit(tool, fields); ok {
		return change
	}
	text, cut, known := tool, false, tellingInputs
	if strings.HasPrefix(tool, "mcp__") {
		known = nil
	}
	for _, name := range known {
		var value string
		if json.Unmarshal(fields[name], &value) == nil && value != "" {
			text += ": " + strings.ReplaceAll(value, "\n", "\n  ")
			delete(fields, name)
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := []rune(string(fields[name]))
		if len(value) > fieldShown {
			value, cut = append(value[:fieldShown:fieldShown], '…'), true
		}
		text += fmt.Sprintf("\n%s: %s", name, string(value))
	}
	if cut {
		text += "\n" + digestMark(string(input))
	}
	return text
}
