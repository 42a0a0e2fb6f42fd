package modeltest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

type object = map[string]any

// anthropic is the Messages API.
type anthropic struct{}

func anthropicPath(path string) bool {
	return strings.HasSuffix(path, "/v1/messages") || strings.HasSuffix(path, "/v1/messages/count_tokens")
}

type anthropicBody struct {
	Model    string          `json:"model"`
	System   json.RawMessage `json:"system"`
	Stream   bool            `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Output json.RawMessage `json:"output_config"`
	Format json.RawMessage `json:"output_format"`
}

// A block is a part of a message: text, a call or a result.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   any             `json:"input"`
	CallID  string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Error   bool            `json:"is_error"`
}

func (anthropic) readBody(r *http.Request, body []byte, q *Request) error {
	var b anthropicBody
	if err := json.Unmarshal(body, &b); err != nil {
		return err
	}
	q.API, q.Model, q.Stream = Anthropic, b.Model, b.Stream
	q.Count = strings.HasSuffix(r.URL.Path, "/count_tokens")
	q.JSON = strings.Contains(string(b.Output), `"json_schema"`) || len(b.Format) > 0
	q.System = readContent(b.System).Text
	for _, m := range b.Messages {
		message := readContent(m.Content)
		message.Role = m.Role
		q.Messages = append(q.Messages, message)
	}
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, t.Name)
	}
	return nil
}

// readContent reads content that is a string or a list of blocks. It leaves out what is neither:
// an image has no text.
func readContent(content json.RawMessage) Message {
	var plain string
	if json.Unmarshal(content, &plain) == nil {
		return Message{Text: plain}
	}
	var list []block
	if json.Unmarshal(content, &list) != nil {
		return Message{}
	}
	var m Message
	var texts []string
	for _, b := range list {
		switch b.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, b.Text)
		case "tool_use":
			m.Calls = append(m.Calls, Call{ID: b.ID, Name: b.Name, Input: b.Input})
		case "tool_result":
			m.Results = append(m.Results, Result{ID: b.CallID, Text: readContent(b.Content).Text, Error: b.Error})
		}
	}
	m.Text = strings.Join(texts, "\n")
	return m
}

func (a anthropic) streamEvents(r reply) []streamEvent {
	var out []streamEvent
	add := func(name string, data object) {
		data["type"] = name
		out = append(out, streamEvent{name: name, data: data})
	}
	start := a.messageBody(r)
	start["content"], start["stop_reason"] = []any{}, nil
	add("message_start", object{"message": start})
	add("ping", object{})
	for i, b := range a.contentBlocks(r) {
		empty, deltas := a.splitBlock(b)
		add("content_block_start", object{"index": i, "content_block": empty})
		for _, d := range deltas {
			add("content_block_delta", object{"index": i, "delta": d})
		}
		add("content_block_stop", object{"index": i})
	}
	add("message_delta", object{
		"delta": object{"stop_reason": a.stopReason(r), "stop_sequence": nil},
		"usage": a.usageFields(r.usageOrDefault()),
	})
	add("message_stop", object{})
	return out
}

// splitBlock returns a block as it begins, and what is added to it in the stream.
func (anthropic) splitBlock(b object) (empty object, deltas []object) {
	switch b["type"] {
	case "text":
		for _, c := range splitText(b["text"].(string)) {
			deltas = append(deltas, object{"type": "text_delta", "text": c})
		}
		return object{"type": "text", "text": ""}, deltas
	case "thinking":
		for _, c := range splitText(b["thinking"].(string)) {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": c})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": b["signature"]})
		return object{"type": "thinking", "thinking": "", "signature": ""}, deltas
	}
	for _, c := range splitText(string(b["input"].(json.RawMessage))) {
		deltas = append(deltas, object{"type": "input_json_delta", "partial_json": c})
	}
	return object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}, deltas
}

func (a anthropic) wholeBody(r reply) any {
	if r.request.Count {
		return object{"input_tokens": 1 + len(r.request.Body)/4}
	}
	return a.messageBody(r)
}

func (a anthropic) messageBody(r reply) object {
	return object{
		"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": r.request.Model,
		"content": a.contentBlocks(r), "stop_reason": a.stopReason(r), "stop_sequence": nil, "usage": a.usageFields(r.usageOrDefault()),
	}
}

func (anthropic) contentBlocks(r reply) []object {
	list := []object{}
	if r.Thinking != "" {
		list = append(list, object{"type": "thinking", "thinking": r.Thinking, "signature": "scripted"})
	}
	if r.Text != "" || len(r.Calls) == 0 {
		list = append(list, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		list = append(list, object{"type": "tool_use", "id": "toolu_" + c.ID, "name": c.Name, "input": json.RawMessage(c.argumentsJSON())})
	}
	return list
}

func (anthropic) stopReason(r reply) string {
	if len(r.Calls) > 0 {
		return cmp.Or(r.Stop, "tool_use")
	}
	return cmp.Or(r.Stop, "end_turn")
}

func (anthropic) usageFields(u Usage) object {
	return object{
		"input_tokens": u.Input - u.Cached, "output_tokens": u.Output,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": u.Cached,
	}
}

// anthropicErrors are the API's names for a status.
var anthropicErrors = map[int]string{
	400: "invalid_request_error",
	401: "authentication_error",
	402: "billing_error",
	403: "permission_error",
	404: "not_found_error",
	413: "request_too_large",
	429: "rate_limit_error",
	529: "overloaded_error",
}

func (anthropic) faultBody(f Fault) any {
	kind := cmp.Or(f.Type, anthropicErrors[f.Status], "api_error")
	return object{"type": "error", "error": object{"type": kind, "message": f.Message}, "request_id": "req_scripted"}
}
