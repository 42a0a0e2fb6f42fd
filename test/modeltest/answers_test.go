package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAnswersReadAlike reads each API's answer back as a client of it would, stream or not.
func TestAnswersReadAlike(t *testing.T) {
	answer := Answer{
		Text: "I count them", Calls: []Call{{Name: "shell", Input: object{"cmd": "wc -l"}}},
		Usage: Usage{Input: 9, Cached: 4, Output: 5},
	}
	each(t, func(t *testing.T, api string, ask func(*Server) *http.Response) {
		s := start(t, Turn{Answer: answer}, Say("done"))
		got := understand(t, api, ask(s))
		if got.text != "I count them" || got.call != `shell {"cmd":"wc -l"}` || got.stop != calling[api] {
			t.Errorf("understood %+v", got)
		}
		if u := got.usage; u != (Usage{Input: 9, Cached: 4, Output: 5}) {
			t.Errorf("usage %+v", u)
		}
		if got := understand(t, api, ask(s)); got.text != "done" || got.call != "" || got.stop != ended[api] {
			t.Errorf("understood %+v", got)
		}
	})
}

// What each API says of a model that stopped to call a tool, and of one that is done.
var (
	calling = map[string]string{Anthropic: "tool_use", Responses: "completed", Chat: "tool_calls", Gemini: "STOP"}
	ended   = map[string]string{Anthropic: "end_turn", Responses: "completed", Chat: "stop", Gemini: "STOP"}
)

type understood struct {
	text, call, stop string
	usage            Usage
}

// at walks into decoded JSON; what is not there is nil.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func str(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func num(v any, path ...any) int {
	f, _ := at(v, path...).(float64)
	return int(f)
}

func list(v any, path ...any) []any {
	l, _ := at(v, path...).([]any)
	return l
}

// understand puts an answer together from its pieces.
func understand(t *testing.T, api string, resp *http.Response) understood {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var u understood
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		hear[api](decode(t, string(body)), &u)
		return u
	}
	for block := range strings.SplitSeq(string(body), "\n\n") {
		_, data, ok := strings.Cut(block, "data: ")
		if ok && data != "[DONE]" {
			hear[api](decode(t, data), &u)
		}
	}
	return u
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// hear takes in one body or one event of a stream.
var hear = map[string]func(any, *understood){
	Anthropic: hearAnthropic, Responses: hearResponses, Chat: hearChat, Gemini: hearGemini,
}

func hearAnthropic(v any, u *understood) {
	for _, b := range list(v, "content") {
		if str(b, "type") == "tool_use" {
			u.call = fmt.Sprintf("%s {\"cmd\":%q}", str(b, "name"), str(b, "input", "cmd"))
		}
		u.text += str(b, "text")
	}
	if str(v, "content_block", "type") == "tool_use" {
		u.call = str(v, "content_block", "name") + " "
	}
	u.text += str(v, "delta", "text")
	u.call += str(v, "delta", "partial_json")
	u.stop += str(v, "stop_reason") + str(v, "delta", "stop_reason")
	if at(v, "usage") != nil {
		cached := num(v, "usage", "cache_read_input_tokens")
		u.usage = Usage{Input: num(v, "usage", "input_tokens") + cached, Cached: cached, Output: num(v, "usage", "output_tokens")}
	}
}

// hearResponses counts on the last event alone for items, and on the deltas to add up to them.
func hearResponses(v any, u *understood) {
	u.text += str(v, "delta")
	if str(v, "object") != "response" {
		switch str(v, "type") {
		case "response.completed", "response.incomplete":
			v = at(v, "response")
		default:
			return
		}
	}
	text := ""
	for _, item := range list(v, "output") {
		switch str(item, "type") {
		case "message":
			text = str(item, "content", 0, "text")
		case "function_call":
			u.call = str(item, "name") + " " + str(item, "arguments")
		}
	}
	if u.text != "" && u.text != text {
		text = "the deltas say " + u.text
	}
	u.text, u.stop = text, str(v, "status")
	u.usage = Usage{
		Input: num(v, "usage", "input_tokens"), Output: num(v, "usage", "output_tokens"),
		Cached: num(v, "usage", "input_tokens_details", "cached_tokens"),
	}
}

func hearChat(v any, u *understood) {
	for _, part := range []any{at(v, "choices", 0, "message"), at(v, "choices", 0, "delta")} {
		u.text += str(part, "content")
		for _, c := range list(part, "tool_calls") {
			if name := str(c, "function", "name"); name != "" {
				u.call = name + " "
			}
			u.call += str(c, "function", "arguments")
		}
	}
	u.stop += str(v, "choices", 0, "finish_reason")
	if at(v, "usage") != nil {
		u.usage = Usage{
			Input: num(v, "usage", "prompt_tokens"), Output: num(v, "usage", "completion_tokens"),
			Cached: num(v, "usage", "prompt_tokens_details", "cached_tokens"),
		}
	}
}

func hearGemini(v any, u *understood) {
	for _, part := range list(v, "candidates", 0, "content", "parts") {
		u.text += str(part, "text")
		if name := str(part, "functionCall", "name"); name != "" {
			u.call = fmt.Sprintf("%s {\"cmd\":%q}", name, str(part, "functionCall", "args", "cmd"))
		}
	}
	u.stop += str(v, "candidates", 0, "finishReason")
	u.usage = Usage{
		Input: num(v, "usageMetadata", "promptTokenCount"), Output: num(v, "usageMetadata", "candidatesTokenCount"),
		Cached: num(v, "usageMetadata", "cachedContentTokenCount"),
	}
}

// TestFreeCalls: a tool that takes text and not JSON, as Codex's apply_patch.
func TestFreeCalls(t *testing.T) {
	s := start(t, Use(Call{Name: "apply_patch", Free: "*** Begin Patch", Namespace: "files"}))
	body := strings.Replace(asked[1].body, "STREAM", "false", 1)
	item := at(decode(t, read(t, post(t, t.Context(), s.URL+asked[1].path, body))), "output", 0)
	if str(item, "type") != "custom_tool_call" || str(item, "input") != "*** Begin Patch" || str(item, "namespace") != "files" {
		t.Errorf("called as %v", item)
	}
}

func TestCounts(t *testing.T) {
	s := start(t, Say("never"))
	for path, body := range map[string]string{"/v1/messages/count_tokens": asked[0].body, "/v1beta/models/m:countTokens": asked[3].body} {
		v := decode(t, read(t, post(t, t.Context(), s.URL+path, strings.Replace(body, "STREAM", "true", 1))))
		if num(v, "input_tokens")+num(v, "totalTokens") < 10 {
			t.Errorf("%s: %v", path, v)
		}
	}
	if s.Left() != 1 || len(s.Asked()) != 0 {
		t.Error("counting used up a turn")
	}
}
