package modeltest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// chat is OpenAI's Chat Completions API, which most other vendors speak too.
type chat struct{}

func chatPath(path string) bool { return strings.HasSuffix(path, "/chat/completions") }

type chatBody struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		CallID  string          `json:"tool_call_id"`
		Calls   []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	Format struct {
		Type string `json:"type"`
	} `json:"response_format"`
}

func (chat) readBody(_ *http.Request, body []byte, q *Request) error {
	var b chatBody
	if err := json.Unmarshal(body, &b); err != nil {
		return err
	}
	q.API, q.Model, q.Stream = Chat, b.Model, b.Stream
	q.JSON = strings.HasPrefix(b.Format.Type, "json")
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, t.Function.Name)
	}
	for _, m := range b.Messages {
		message := readContent(m.Content)
		message.Role = m.Role
		switch m.Role {
		case "system", "developer":
			q.System = strings.TrimSpace(q.System + "\n" + message.Text)
			continue
		case "tool":
			message = Message{Role: "tool", Results: []Result{{ID: m.CallID, Text: message.Text}}}
		}
		for _, c := range m.Calls {
			message.Calls = append(message.Calls, Call{ID: c.ID, Name: c.Function.Name, Input: parseArguments(c.Function.Arguments)})
		}
		q.Messages = append(q.Messages, message)
	}
	return nil
}

// parseArguments returns the JSON of a call's arguments, or their text if they are none.
func parseArguments(text string) any {
	var input any
	if json.Unmarshal([]byte(text), &input) != nil {
		return text
	}
	return input
}

func (a chat) streamEvents(r reply) []streamEvent {
	var out []streamEvent
	add := func(delta object, finish any) {
		chunk := a.envelope(r, "chat.completion.chunk")
		chunk["choices"] = []object{{"index": 0, "delta": delta, "finish_reason": finish}}
		out = append(out, streamEvent{data: chunk})
	}
	add(object{"role": "assistant", "content": ""}, nil)
	for _, c := range splitText(r.Text) {
		add(object{"content": c}, nil)
	}
	for i, c := range r.Calls {
		for j, part := range splitText(c.argumentsJSON()) {
			call := object{"index": i, "function": object{"arguments": part}}
			if j == 0 {
				call["id"], call["type"] = c.ID, "function"
				call["function"] = object{"name": c.Name, "arguments": part}
			}
			add(object{"tool_calls": []object{call}}, nil)
		}
	}
	add(object{}, a.stopReason(r))
	last := a.envelope(r, "chat.completion.chunk")
	last["choices"], last["usage"] = []any{}, a.usageFields(r.usageOrDefault())
	return append(out, streamEvent{data: last}, streamEvent{text: "[DONE]"})
}

func (a chat) wholeBody(r reply) any {
	message := object{"role": "assistant", "content": r.Text}
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{
			"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.argumentsJSON()},
		})
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	body := a.envelope(r, "chat.completion")
	body["choices"] = []object{{"index": 0, "message": message, "finish_reason": a.stopReason(r)}}
	body["usage"] = a.usageFields(r.usageOrDefault())
	return body
}

// envelope returns the fields that every body and every event of the API has.
func (chat) envelope(r reply, kind string) object {
	return object{"id": "chatcmpl-" + r.id, "object": kind, "created": r.request.At.Unix(), "model": r.request.Model}
}

func (chat) stopReason(r reply) string {
	if len(r.Calls) > 0 {
		return cmp.Or(r.Stop, "tool_calls")
	}
	return cmp.Or(r.Stop, "stop")
}

func (chat) usageFields(u Usage) object {
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.Cached},
	}
}

func (chat) faultBody(f Fault) any { return openAIFaultBody(f) }
