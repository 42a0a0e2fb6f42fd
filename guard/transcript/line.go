package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// A line is one line of a transcript, as far as it is read.
type line struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	// Sidechain is set for what a subagent said and did.
	Sidechain bool    `json:"isSidechain"`
	Message   message `json:"message"`
	// Summary is of a line of type summary.
	Summary string `json:"summary"`
	// Content is of a line of type system.
	Content any `json:"content"`
	// Result is what a tool returned, in the form of the tool's own.
	Result json.RawMessage `json:"toolUseResult"`
}

type message struct {
	Content blocks `json:"content"`
}

// A block is a piece of a message.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`          // of a tool_use
	Name    string          `json:"name"`        // of a tool_use
	Input   json.RawMessage `json:"input"`       // of a tool_use
	CallID  string          `json:"tool_use_id"` // of a tool_result
	Content json.RawMessage `json:"content"`     // of a tool_result
	IsError bool            `json:"is_error"`    // of a tool_result
}

// blocks are the pieces of a message. A message that is only text may be a string.
type blocks []block

// UnmarshalJSON reads what it knows and ignores fields of another type.
func (b *blocks) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*b = blocks{{Type: "text"}}
		return json.Unmarshal(data, &(*b)[0].Text)
	}
	return ignoreTypes(json.Unmarshal(data, (*[]block)(b)))
}

// ignoreTypes returns nil for the error of a value of an unexpected type: all others are read.
func ignoreTypes(err error) error {
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

// decodeLine decodes a line. It ignores fields of an unexpected type.
func decodeLine(raw []byte) (l line, err error) {
	err = ignoreTypes(json.Unmarshal(raw, &l))
	return l, err
}

// isMessage reports whether the line is a message of the conversation. Other lines can hold copies of
// messages.
func (l line) isMessage() bool { return l.Type == "user" || l.Type == "assistant" }

// time returns when the line was written, or the zero time if it does not tell.
func (l line) time() time.Time {
	t, _ := time.Parse(time.RFC3339, l.Timestamp)
	return t
}

// resultText returns the text of a tool_result, whose content is a string or a list of blocks. What
// is not text is named.
func (b block) resultText() string {
	if len(b.Content) == 0 || bytes.Equal(b.Content, []byte("null")) {
		return ""
	}
	var text string
	if json.Unmarshal(b.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if ignoreTypes(json.Unmarshal(b.Content, &parts)) != nil || parts == nil {
		return string(b.Content)
	}
	var all bytes.Buffer
	for i, p := range parts {
		if i > 0 {
			all.WriteByte('\n')
		}
		if all.WriteString(p.Text); p.Text == "" && p.Type != "text" {
			all.WriteString("(" + p.Type + ")")
		}
	}
	return all.String()
}
