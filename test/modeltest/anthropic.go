package modeltest

import (
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

func (anthropic) read(r *http.Request, body []byte, q *Request) error {
	var b anthropicBody
	if err := json.Unmarshal(body, &b); err != nil {
		return err
	}
	q.API, q.Model, q.Stream = Anthropic, b.Model, b.Stream
	q.Count = strings.HasSuffix(r.URL.Path, "/count_tokens")
	q.JSON = strings.Contains(string(b.Output), `"json_schema"`) || len(b.Format) > 0
	q.System = blocks(b.System).Text
	for _, m := range b.Messages {
		message := blocks(m.Content)
		message.Role = m.Role
		q.Messages = append(q.Messages, message)
	}
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, t.Name)
	}
	return nil
}

// blocks reads content that is a string or a list of blocks. What is neither is passed over: an
// image has no text.
func blocks(content json.RawMessage) Message {
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
			m.Results = append(m.Results, Result{ID: b.CallID, Text: blocks(b.Content).Text, Error: b.Error})
		}
	}
	m.Text = strings.Join(texts, "\n")
	return m
}

func (a anthropic) pieces(r reply) []piece {
	var out []piece
	add := func(name string, data object) {
		data["type"] = name
		out = append(out, piece{event: name, data: data})
	}
	start := a.message(r)
	start["content"], start["stop_reason"] = []any{}, nil
	add("message_start", object{"message": start})
	add("ping", object{})
	for i, b := range a.content(r) {
		empty, deltas := a.deltas(b)
		add("content_block_start", object{"index": i, "content_block": empty})
		for _, d := range deltas {
			add("content_block_delta", object{"index": i, "delta": d})
		}
		add("content_block_stop", object{"index": i})
	}
	add("message_delta", object{
		"delta": object{"stop_reason": a.stop(r), "stop_sequence": nil},
		"usage": a.usage(r.usage()),
	})
	add("message_stop", object{})
	return out
}

// deltas takes a block apart: as it begins, and what is added to it.
func (anthropic) deltas(b object) (empty object, deltas []object) {
	switch b["type"] {
	case "text":
		for _, c := range chunks(b["text"].(string)) {
			deltas = append(deltas, object{"type": "text_delta", "text": c})
		}
		return object{"type": "text", "text": ""}, deltas
	case "thinking":
		for _, c := range chunks(b["thinking"].(string)) {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": c})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": b["signature"]})
		return object{"type": "thinking", "thinking": "", "signature": ""}, deltas
	}
	for _, c := range chunks(string(b["input"].(json.RawMessage))) {
		deltas = append(deltas, object{"type": "input_json_delta", "partial_json": c})
	}
	return object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}, deltas
}

func (a anthropic) whole(r reply) any {
	if r.request.Count {
		return object{"input_tokens": 1 + len(r.request.Body)/4}
	}
	return a.message(r)
}

func (a anthropic) message(r reply) object {
	return object{
		"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": r.request.Model,
		"content": a.content(r), "stop_reason": a.stop(r), "stop_sequence": nil, "usage": a.usage(r.usage()),
	}
}

func (anthropic) content(r reply) []object {
	list := []object{}
	if r.Thinking != "" {
		list = append(list, object{"type": "thinking", "thinking": r.Thinking, "signature": "scripted"})
	}
	if r.Text != "" || len(r.Calls) == 0 {
		list = append(list, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		list = append(list, object{"type": "tool_use", "id": "toolu_" + c.ID, "name": c.Name, "input": json.RawMessage(c.arguments())})
	}
	return list
}

func (anthropic) stop(r reply) string {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (anthropic) usage(u Usage) object {
	return object{
		"input_tokens": u.Input - u.Cached, "output_tokens": u.Output,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": u.Cached,
	}
}

// anthropicErrors are the API's words for what a status means.
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

func (anthropic) fault(f Fault) any {
	kind := f.Type
	if kind == "" {
		kind = anthropicErrors[f.Status]
	}
	if kind == "" {
		kind = "api_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": f.Message}, "request_id": "req_scripted"}
}
