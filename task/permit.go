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
	Allow = "allow"
	Deny  = "deny"
)

// PermitArgs is what an agent wants to do.
type PermitArgs struct {
	What string `json:"what"`
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
	return mulligan.Question{
		Text: "May the agent do this? " + presentText(a.What), Options: []string{Allow, Deny}, Default: Deny, Asker: AskerPermit,
	}, nil
}

// Allows reports whether a person allows what was asked about.
func (a Answer) Allows() bool { return a.By == mulligan.ByPerson && a.Answer == Allow }

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

// Wish returns what a call of a tool would do, in words: the tool, its telling input as it is, and
// the others as JSON, in a line each. Only the server knows what the inputs of a server's tool
// mean.
func Wish(tool string, input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return strings.TrimSpace(tool + ": " + string(input))
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
