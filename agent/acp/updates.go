package acp

import (
	"encoding/json"

	protocol "github.com/coder/acp-go-sdk"
)

// An update is something that happened in a turn, of whichever type. What a type does not
// have is empty.
type update struct {
	toolCall
	Type      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Status    string          `json:"status"`
	Content   json.RawMessage `json:"content"` // of a message one block, of a tool call a list
	Entries   []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"entries"`
}

// A block is a piece of content. Only text is read.
type block struct {
	Text    string `json:"text"`
	Path    string `json:"path"` // of a diff
	Type    string `json:"type"`
	Content *block `json:"content"`
}

// notified takes something that happened. What is not known is passed over.
func (x *exchange) notified(method string, params json.RawMessage) {
	if method != protocol.ClientMethodSessionUpdate {
		return
	}
	var p struct {
		Session string `json:"sessionId"`
		Update  update `json:"update"`
	}
	json.Unmarshal(params, &p) // a field of another shape than it had is as good as none
	x.mu.Lock()
	x.told++
	current := x.session != "" && p.Session == x.session
	if call := p.Update.toolCall; current && call.ID != "" {
		x.calls[call.ID] = toolCall{ID: call.ID}.with(x.calls[call.ID]).with(call)
		p.Update.toolCall = x.calls[call.ID]
	}
	x.mu.Unlock()
	if current {
		x.happened(p.Update)
	}
}

func (x *exchange) happened(u update) {
	switch u.Type {
	case "agent_message_chunk":
		x.show.say(u.MessageID, text(u.Content))
	case "agent_thought_chunk":
		x.show.think(text(u.Content))
	case "tool_call":
		x.show.endMessage()
		x.show.line("[%s]", u.toolCall)
		x.result(u)
	case "tool_call_update":
		x.show.endMessage()
		x.result(u)
	case "plan":
		for _, e := range u.Entries {
			x.show.line("[plan] %s: %s", e.Status, e.Content)
		}
	}
}

// result shows what a tool call came to.
func (x *exchange) result(u update) {
	if u.Status != string(protocol.ToolCallStatusCompleted) && u.Status != string(protocol.ToolCallStatusFailed) {
		return
	}
	var content []block
	json.Unmarshal(u.Content, &content)
	for _, c := range content {
		switch {
		case c.Content != nil && c.Content.Text != "":
			x.show.line("%s", c.Content.Text)
		case c.Type == "diff":
			x.show.line("[changed %s]", c.Path)
		}
	}
	if u.Status == string(protocol.ToolCallStatusFailed) {
		x.show.line("[failed] %s", u.Title)
	}
}

func text(content json.RawMessage) string {
	var b block
	json.Unmarshal(content, &b)
	return b.Text
}
