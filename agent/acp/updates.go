package acp

import (
	"encoding/json"
	"maps"
	"slices"

	protocol "github.com/coder/acp-go-sdk"
)

// An update is something that happened in a turn, of any type. A field that a type does not have is
// empty.
type update struct {
	toolCall
	Type      string `json:"sessionUpdate"`
	MessageID string `json:"messageId"`
	Status    string `json:"status"`
	Entries   []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"entries"`
}

// A block is a piece of content. Only text is read.
type block struct {
	Text    string `json:"text"`
	Path    string `json:"path"` // of a diff
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
	Type    string `json:"type"`
	Content *block `json:"content"`
}

// takeNotification takes a notification of the program. Unknown ones are ignored.
func (x *exchange) takeNotification(method string, params json.RawMessage) {
	if method != protocol.ClientMethodSessionUpdate {
		return
	}
	var p struct {
		Session string `json:"sessionId"`
		Update  update `json:"update"`
	}
	json.Unmarshal(params, &p) // a field of another shape than it had is as good as none
	x.mu.Lock()
	x.notified++
	current := x.session != "" && p.Session == x.session
	if call := p.Update.toolCall; current && call.ID != "" {
		call.diffs = x.readDiffs(call)
		p.Update.toolCall = toolCall{ID: call.ID}.withUpdate(x.calls[call.ID]).withUpdate(call)
		known := p.Update.toolCall
		if hasEnded(p.Update.Status) {
			known.diffs = nil
		}
		x.calls[call.ID] = known
		p.Update.Content = call.Content
	}
	x.mu.Unlock()
	if current {
		x.showUpdate(p.Update)
	}
}

// showUpdate logs what happened in the turn.
func (x *exchange) showUpdate(u update) {
	switch u.Type {
	case "agent_message_chunk":
		x.log.addMessagePiece(u.MessageID, blockText(u.Content))
	case "agent_thought_chunk":
		x.log.addThought(blockText(u.Content))
	case "tool_call":
		x.log.endMessage()
		x.showCall(u.toolCall, u.Status)
		x.showToolResult(u)
	case "tool_call_update":
		x.log.endMessage()
		x.showCall(u.toolCall, u.Status)
		x.showToolResult(u)
	case "plan":
		for _, e := range u.Entries {
			x.log.line("[plan] %s: %s", e.Status, e.Content)
		}
	}
}

// hasEnded reports whether a tool call of this status is over.
func hasEnded(status string) bool {
	return status == string(protocol.ToolCallStatusCompleted) || status == string(protocol.ToolCallStatusFailed)
}

// showCall logs a tool call once: as soon as it is known what the tool is used on, or else when it has
// ended.
func (x *exchange) showCall(c toolCall, status string) {
	if c.ID == "" || c.subject == "" && !hasEnded(status) {
		return
	}
	x.mu.Lock()
	known := x.calls[c.ID]
	shown := known.shown
	known.shown = true
	x.calls[c.ID] = known
	x.mu.Unlock()
	if !shown {
		x.log.call(c)
	}
}

// showOpenCalls logs the calls of which nothing more came.
func (x *exchange) showOpenCalls() {
	x.mu.Lock()
	var open []toolCall
	for _, id := range slices.Sorted(maps.Keys(x.calls)) {
		if c := x.calls[id]; !c.shown {
			open = append(open, c)
		}
	}
	x.mu.Unlock()
	for _, c := range open {
		x.showCall(c, string(protocol.ToolCallStatusFailed))
	}
}

// showToolResult logs the result of a tool call.
func (x *exchange) showToolResult(u update) {
	if !hasEnded(u.Status) {
		return
	}
	var content []block
	json.Unmarshal(u.Content, &content)
	for _, c := range content {
		switch {
		case c.Content != nil && c.Content.Text != "":
			x.log.output(u.toolCall, c.Content.Text)
		case c.Type == "diff":
			x.log.line("[changed %s]", c.Path)
		}
	}
	if u.Status == string(protocol.ToolCallStatusFailed) {
		x.log.line("[failed] %s", u.Title)
	}
}

func blockText(content json.RawMessage) string {
	var b block
	json.Unmarshal(content, &b)
	return b.Text
}
