package modeltest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// gemini is Google's Gemini API.
type gemini struct{}

// geminiPath reports whether the path is …/models/MODEL:METHOD with a method that the stand-in
// knows.
func geminiPath(path string) bool {
	_, method, ok := strings.Cut(path, ":")
	return ok && strings.Contains(path, "/models/") &&
		(method == "streamGenerateContent" || method == "generateContent" || method == "countTokens")
}

type geminiBody struct {
	Contents []struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	} `json:"contents"`
	System struct {
		Parts []geminiPart `json:"parts"`
	} `json:"systemInstruction"`
	Tools []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Config struct {
		Type string `json:"responseMimeType"`
	} `json:"generationConfig"`
}

type geminiPart struct {
	Text string `json:"text"`
	Call *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Args any    `json:"args"`
	} `json:"functionCall"`
	Result *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

func (gemini) readBody(r *http.Request, body []byte, q *Request) error {
	var b geminiBody
	if err := json.Unmarshal(body, &b); err != nil {
		return err
	}
	where, method, _ := strings.Cut(r.URL.Path, ":")
	q.API, q.Model = Gemini, where[strings.LastIndexByte(where, '/')+1:]
	q.Stream, q.Count = method == "streamGenerateContent", method == "countTokens"
	q.JSON = strings.HasSuffix(b.Config.Type, "json")
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			q.Tools = append(q.Tools, f.Name)
		}
	}
	q.System = geminiMessage("", b.System.Parts).Text
	for _, c := range b.Contents {
		role := c.Role
		if role == "model" {
			role = "assistant"
		}
		q.Messages = append(q.Messages, geminiMessage(role, c.Parts))
	}
	return nil
}

func geminiMessage(role string, parts []geminiPart) Message {
	m := Message{Role: role}
	var texts []string
	for _, p := range parts {
		switch {
		case p.Call != nil:
			m.Calls = append(m.Calls, Call{ID: p.Call.ID, Name: p.Call.Name, Input: p.Call.Args})
		case p.Result != nil:
			m.Results = append(m.Results, Result{ID: p.Result.ID, Text: string(p.Result.Response)})
		case p.Text != "":
			texts = append(texts, p.Text)
		}
	}
	m.Text = strings.Join(texts, "\n")
	return m
}

func (a gemini) streamEvents(r reply) []streamEvent {
	var out []streamEvent
	for _, part := range a.contentParts(r, true) {
		out = append(out, streamEvent{data: a.responseBody(r, []object{part}, "")})
	}
	return append(out, streamEvent{data: a.responseBody(r, []object{{"text": ""}}, cmp.Or(r.Stop, "STOP"))})
}

func (a gemini) wholeBody(r reply) any {
	if r.request.Count {
		return object{"totalTokens": 1 + len(r.request.Body)/4}
	}
	return a.responseBody(r, a.contentParts(r, false), cmp.Or(r.Stop, "STOP"))
}

// contentParts returns the parts of an answer; cut has its text in several.
func (gemini) contentParts(r reply, cut bool) []object {
	var parts []object
	if r.Thinking != "" {
		parts = append(parts, object{"text": r.Thinking, "thought": true})
	}
	texts := []string{r.Text}
	if cut {
		texts = splitText(r.Text)
	}
	for _, c := range texts {
		parts = append(parts, object{"text": c})
	}
	for _, c := range r.Calls {
		parts = append(parts, object{
			"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.argumentsJSON())},
		})
	}
	return parts
}

func (gemini) responseBody(r reply, parts []object, finish string) object {
	u := r.usageOrDefault()
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{
		"candidates": []object{candidate}, "modelVersion": r.request.Model, "responseId": r.id,
		"usageMetadata": object{
			"promptTokenCount": u.Input, "cachedContentTokenCount": u.Cached,
			"candidatesTokenCount": u.Output, "totalTokenCount": u.Input + u.Output,
		},
	}
}

// geminiErrors are Google's names for a status.
var geminiErrors = map[int]string{
	400: "INVALID_ARGUMENT",
	401: "UNAUTHENTICATED",
	403: "PERMISSION_DENIED",
	404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED",
	503: "UNAVAILABLE",
}

func (gemini) faultBody(f Fault) any {
	status := cmp.Or(f.Type, geminiErrors[f.Status], "INTERNAL")
	return object{"error": object{"code": f.Status, "message": f.Message, "status": status}}
}
