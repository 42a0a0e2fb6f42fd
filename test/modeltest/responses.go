package modeltest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses API.
type responses struct{}

func responsesPath(path string) bool { return strings.HasSuffix(path, "/responses") }

type responsesBody struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Stream       bool            `json:"stream"`
	Input        json.RawMessage `json:"input"`
	Tools        []responsesTool `json:"tools"`
	Text         json.RawMessage `json:"text"`
}

type responsesTool struct {
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"` // of a namespace
}

// A responsesItem is one entry of the input: a message, a call or a call's output.
type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
}

func (responses) readBody(_ *http.Request, body []byte, q *Request) error {
	var b responsesBody
	if err := json.Unmarshal(body, &b); err != nil {
		return err
	}
	q.API, q.Model, q.Stream, q.System = Responses, b.Model, b.Stream, b.Instructions
	q.JSON = strings.Contains(string(b.Text), `"json_schema"`)
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, t.fullNames("")...)
	}
	var plain string
	if json.Unmarshal(b.Input, &plain) == nil {
		q.Messages = []Message{{Role: "user", Text: plain}}
		return nil
	}
	var items []responsesItem
	if err := json.Unmarshal(b.Input, &items); err != nil {
		return err
	}
	for _, item := range items {
		if m, ok := item.toMessage(); ok {
			q.Messages = append(q.Messages, m)
		}
	}
	return nil
}

// fullNames returns the tool's name, or the names in a namespace. A built-in tool has only its
// type.
func (t responsesTool) fullNames(space string) []string {
	if len(t.Tools) > 0 {
		var all []string
		for _, below := range t.Tools {
			all = append(all, below.fullNames(space+t.Name+"/")...)
		}
		return all
	}
	if t.Name == "" {
		return []string{space + t.Type}
	}
	return []string{space + t.Name}
}

// toMessage returns the item as a message, and whether the stand-in knows its type.
func (i responsesItem) toMessage() (Message, bool) {
	switch i.Type {
	case "message", "":
		m := readContent(i.Content)
		m.Role = i.Role
		if m.Role == "developer" {
			m.Role = "system"
		}
		return m, true
	case "function_call":
		call := Call{ID: i.CallID, Name: i.Name, Namespace: i.Namespace, Input: parseArguments(i.Arguments)}
		return Message{Role: "assistant", Calls: []Call{call}}, true
	case "custom_tool_call":
		return Message{Role: "assistant", Calls: []Call{{ID: i.CallID, Name: i.Name, Free: i.Input}}}, true
	case "function_call_output", "custom_tool_call_output":
		return Message{Role: "tool", Results: []Result{{ID: i.CallID, Text: readContent(i.Output).Text}}}, true
	}
	return Message{}, false
}

func (a responses) streamEvents(r reply) []streamEvent {
	var out []streamEvent
	add := func(name string, data object) {
		data["type"], data["sequence_number"] = name, len(out)
		out = append(out, streamEvent{name: name, data: data})
	}
	begun := a.responseBody(r, "in_progress")
	begun["output"] = []any{}
	add("response.created", object{"response": begun})
	for i, item := range a.outputItems(r) {
		add("response.output_item.added", object{"output_index": i, "item": itemInProgress(item)})
		for _, c := range splitText(a.textOf(item)) {
			add("response.output_text.delta", object{"item_id": item["id"], "output_index": i, "content_index": 0, "delta": c})
		}
		add("response.output_item.done", object{"output_index": i, "item": item})
	}
	add("response."+a.endStatus(r), object{"response": a.wholeBody(r)})
	return out
}

// textOf returns the text of a message, or "" for a call.
func (responses) textOf(item object) string {
	parts, ok := item["content"].([]object)
	if !ok || item["type"] != "message" {
		return ""
	}
	return parts[0]["text"].(string)
}

// itemInProgress returns an item as the stream announces it.
func itemInProgress(item object) object {
	begun := maps.Clone(item)
	begun["status"] = "in_progress"
	if item["type"] == "message" {
		begun["content"] = []any{}
	}
	return begun
}

func (a responses) wholeBody(r reply) any {
	return a.responseBody(r, a.endStatus(r))
}

func (responses) endStatus(r reply) string {
	if r.Stop != "" {
		return "incomplete"
	}
	return "completed"
}

func (a responses) responseBody(r reply, status string) object {
	u := r.usageOrDefault()
	body := object{
		"id": "resp_" + r.id, "object": "response", "created_at": r.request.At.Unix(), "status": status,
		"model": r.request.Model, "output": a.outputItems(r),
		"usage": object{
			"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.Cached},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": u.Input + u.Output,
		},
	}
	if status == "incomplete" {
		body["incomplete_details"] = object{"reason": r.Stop}
	}
	return body
}

func (responses) outputItems(r reply) []object {
	items := []object{}
	if r.Thinking != "" {
		items = append(items, object{
			"type": "reasoning", "id": "rs_" + r.id,
			"summary": []object{{"type": "summary_text", "text": r.Thinking}},
		})
	}
	if r.Text != "" || len(r.Calls) == 0 {
		items = append(items, object{
			"type": "message", "id": "msg_" + r.id, "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": r.Text, "annotations": []any{}}},
		})
	}
	for _, c := range r.Calls {
		items = append(items, responsesCall(c))
	}
	return items
}

func responsesCall(c Call) object {
	item := object{"id": "item_" + c.ID, "call_id": c.ID, "name": c.Name, "status": "completed"}
	if c.Namespace != "" {
		item["namespace"] = c.Namespace
	}
	if c.Free != "" {
		item["type"], item["input"] = "custom_tool_call", c.Free
		return item
	}
	item["type"], item["arguments"] = "function_call", c.argumentsJSON()
	return item
}

func (responses) faultBody(f Fault) any { return openAIFaultBody(f) }

// openAIErrors are OpenAI's types and codes for a status.
var openAIErrors = map[int][2]string{
	400: {"invalid_request_error", ""},
	401: {"invalid_request_error", "invalid_api_key"},
	403: {"invalid_request_error", "unsupported_country_region_territory"},
	404: {"invalid_request_error", "model_not_found"},
	429: {"requests", "rate_limit_exceeded"},
	503: {"server_error", "server_is_overloaded"},
}

func openAIFaultBody(f Fault) any {
	words := openAIErrors[f.Status]
	e := object{"message": f.Message, "type": cmp.Or(f.Type, words[0], "server_error"), "param": nil, "code": nil}
	if code := cmp.Or(f.Code, words[1]); code != "" {
		e["code"] = code
	}
	return object{"error": e}
}
