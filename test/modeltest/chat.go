package modeltest

import (
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

func (chat) read(_ *http.Request, body []byte, q *Request) error {
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
		message := blocks(m.Content)
		message.Role = m.Role
		switch m.Role {
		case "system", "developer":
			q.System = strings.TrimSpace(q.System + "\n" + message.Text)
			continue
		case "tool":
			message = Message{Role: "tool", Results: []Result{{ID: m.CallID, Text: message.Text}}}
		}
		for _, c := range m.Calls {
			var input any
			if json.Unmarshal([]byte(c.Function.Arguments), &input) != nil {
				input = c.Function.Arguments
			}
			message.Calls = append(message.Calls, Call{ID: c.ID, Name: c.Function.Name, Input: input})
		}
		q.Messages = append(q.Messages, message)
	}
	return nil
}

func (a chat) pieces(r reply) []piece {
	var out []piece
	add := func(delta object, finish any) {
		chunk := a.envelope(r, "chat.completion.chunk")
		chunk["choices"] = []object{{"index": 0, "delta": delta, "finish_reason": finish}}
		out = append(out, piece{data: chunk})
	}
	add(object{"role": "assistant", "content": ""}, nil)
	for _, c := range chunks(r.Text) {
		add(object{"content": c}, nil)
	}
	for i, c := range r.Calls {
		for j, part := range chunks(c.arguments()) {
			call := object{"index": i, "function": object{"arguments": part}}
			if j == 0 {
				call["id"], call["type"] = c.ID, "function"
				call["function"] = object{"name": c.Name, "arguments": part}
			}
			add(object{"tool_calls": []object{call}}, nil)
		}
	}
	add(object{}, a.stop(r))
	last := a.envelope(r, "chat.completion.chunk")
	last["choices"], last["usage"] = []any{}, a.usage(r.usage())
	return append(out, piece{data: last}, piece{text: "[DONE]"})
}

func (a chat) whole(r reply) any {
	message := object{"role": "assistant", "content": r.Text}
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{
			"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.arguments()},
		})
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	body := a.envelope(r, "chat.completion")
	body["choices"] = []object{{"index": 0, "message": message, "finish_reason": a.stop(r)}}
	body["usage"] = a.usage(r.usage())
	return body
}

func (chat) envelope(r reply, kind string) object {
	return object{"id": "chatcmpl-" + r.id, "object": kind, "created": r.request.At.Unix(), "model": r.request.Model}
}

func (chat) stop(r reply) string {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (chat) usage(u Usage) object {
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.Cached},
	}
}

func (chat) fault(f Fault) any { return openAIFault(f) }
