package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The same question in each API's form: an instruction, one exchange with a tool, and what the
// tool gave as the newest message.
var asked = []struct {
	api, path, body string
	noTools         string // what takes the tools out of body
}{
	{
		Anthropic, "/v1/messages", `{"model":"m","stream":STREAM,"system":[{"type":"text","text":"be brief"}],"messages":[
		{"role":"user","content":"count"},
		{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"c1","name":"shell","input":{"cmd":"wc"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"12 lines"}]}]}],"tools":[{"name":"shell"}]}`,
		`[{"name":"shell"}]`,
	},
	{
		Responses, "/v1/responses", `{"model":"m","stream":STREAM,"instructions":"be brief","input":[
		{"type":"message","role":"user","content":[{"type":"input_text","text":"count"}]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]},
		{"type":"function_call","call_id":"c1","name":"shell","arguments":"{\"cmd\":\"wc\"}"},
		{"type":"reasoning","summary":[]},
		{"type":"function_call_output","call_id":"c1","output":"12 lines"}],"tools":[{"type":"function","name":"shell"}]}`,
		`[{"type":"function","name":"shell"}]`,
	},
	{
		Chat, "/v1/chat/completions", `{"model":"m","stream":STREAM,"messages":[{"role":"system","content":"be brief"},
		{"role":"user","content":[{"type":"text","text":"count"}]},
		{"role":"assistant","content":"so","tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":"{\"cmd\":\"wc\"}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"12 lines"}],"tools":[{"type":"function","function":{"name":"shell"}}]}`,
		`[{"type":"function","function":{"name":"shell"}}]`,
	},
	{
		Gemini, "/v1beta/models/m:generateContent", `{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[
		{"role":"user","parts":[{"text":"count"}]},
		{"role":"model","parts":[{"text":"so"},{"functionCall":{"id":"c1","name":"shell","args":{"cmd":"wc"}}}]},
		{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"shell","response":{"output":"12 lines"}}}]}],
		"tools":[{"functionDeclarations":[{"name":"shell"}]}]}`,
		`[{"functionDeclarations":[{"name":"shell"}]}]`,
	},
}

// each asks in every API, as a stream and whole.
func each(t *testing.T, test func(t *testing.T, api string, ask func(*Server) *http.Response)) {
	for _, form := range asked {
		for _, stream := range []string{"true", "false"} {
			path := form.path
			if form.api == Gemini && stream == "true" {
				path = strings.Replace(path, "generate", "streamGenerate", 1) + "?alt=sse"
			}
			body := strings.Replace(form.body, "STREAM", stream, 1)
			t.Run(form.api+"/stream="+stream, func(t *testing.T) {
				test(t, form.api, func(s *Server) *http.Response { return post(t, t.Context(), s.URL+path, body) })
			})
		}
	}
}

func post(t *testing.T, ctx context.Context, to, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func read(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestRequestsReadAlike(t *testing.T) {
	each(t, func(t *testing.T, api string, ask func(*Server) *http.Response) {
		s := start(t, Say("done"))
		read(t, ask(s))
		r := s.Log()[0]
		if r.API != api || r.Model != "m" || r.System != "be brief" || !reflect.DeepEqual(r.Tools, []string{"shell"}) || r.Side || r.Turn != 0 || r.Status != 200 {
			t.Errorf("read as %+v", r)
		}
		if !strings.Contains(r.Newest(), "12 lines") || strings.Contains(r.Newest(), "count") || !strings.Contains(r.Conversation(), "count") {
			t.Errorf("newest %q of %q", r.Newest(), r.Conversation())
		}
		var calls []Call
		var results []Result
		for _, m := range r.Messages {
			calls, results = append(calls, m.Calls...), append(results, m.Results...)
		}
		want := Call{ID: "c1", Name: "shell", Input: map[string]any{"cmd": "wc"}}
		if len(calls) != 1 || !reflect.DeepEqual(calls[0], want) || len(results) != 1 || results[0].ID != "c1" {
			t.Errorf("calls %+v, results %+v", calls, results)
		}
	})
}

func TestSideRequestsUseUpNoTurn(t *testing.T) {
	for _, form := range asked {
		s := start(t, Say("the turn"))
		body := strings.Replace(strings.Replace(form.body, form.noTools, "[]", 1), "STREAM", "false", 1)
		if said := read(t, post(t, t.Context(), s.URL+form.path, body)); !strings.Contains(said, "a side request") {
			t.Errorf("%s: said %s", form.api, said)
		}
		if r := s.Log()[0]; !r.Side || r.Turn != -1 || s.Left() != 1 || len(s.Asked()) != 0 {
			t.Errorf("%s: turn %d, side %v, %d left", form.api, r.Turn, r.Side, s.Left())
		}
	}
}

func TestFaults(t *testing.T) {
	words := map[string][3]string{ // for 401, 429, 500
		Anthropic: {"authentication_error", "rate_limit_error", "api_error"},
		Responses: {"invalid_api_key", "rate_limit_exceeded", "server_error"},
		Chat:      {"invalid_api_key", "rate_limit_exceeded", "server_error"},
		Gemini:    {"UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "INTERNAL"},
	}
	each(t, func(t *testing.T, api string, ask func(*Server) *http.Response) {
		s := start(t, Fail(Fault{Status: 401}), Fail(Fault{Status: 429, RetryAfter: 7}), Fail(Fault{Status: 500}), Fail(Fault{Status: 502, Body: "<html>"}))
		for i, status := range []int{401, 429, 500} {
			resp := ask(s)
			body := read(t, resp)
			if resp.StatusCode != status || !strings.Contains(body, words[api][i]) || !json.Valid([]byte(body)) {
				t.Errorf("%d: %d %s", status, resp.StatusCode, body)
			}
			if after := resp.Header.Get("Retry-After"); (after == "7") != (status == 429) {
				t.Errorf("%d: retry after %q", status, after)
			}
		}
		if body := read(t, ask(s)); body != "<html>" {
			t.Errorf("a body of its own: %q", body)
		}
		if resp := ask(s); resp.StatusCode != 400 || !strings.Contains(read(t, resp), "the script has no turn for this") || s.Log()[4].Turn != -1 {
			t.Errorf("past the script's end: %d", resp.StatusCode)
		}
	})
}

func TestCutInTheMiddle(t *testing.T) {
	each(t, func(t *testing.T, _ string, ask func(*Server) *http.Response) {
		s := start(t, Turn{Answer: Answer{Text: "this goes on and on", Cut: true}})
		body, err := io.ReadAll(ask(s).Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) == 0 {
			t.Errorf("read %q, %v", body, err)
		}
	})
}

func TestHangEndsWithTheServer(t *testing.T) {
	each(t, func(t *testing.T, _ string, ask func(*Server) *http.Response) {
		s := start(t, Turn{Answer: Answer{Text: "this goes on and on", Hang: true}})
		resp := ask(s)
		if n, err := resp.Body.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("nothing came before the silence: %d, %v", n, err)
		}
		s.Close()
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("the answer came to an end by itself")
		}
	})
}

func TestDelayEndsWithTheServer(t *testing.T) {
	s := start(t, Turn{Answer: Answer{Text: "late", Delay: time.Hour}})
	go func() {
		for len(s.Log()) == 0 {
			time.Sleep(time.Millisecond)
		}
		s.Close()
	}()
	body := strings.Replace(asked[0].body, "STREAM", "true", 1)
	if resp, err := http.Post(s.URL+asked[0].path, "application/json", strings.NewReader(body)); err == nil {
		t.Errorf("answered with %d", resp.StatusCode)
	}
}

// TestLogKeepsNoKeys: what a request carried to prove who it is is not kept, whatever it is.
func TestLogKeepsNoKeys(t *testing.T) {
	for _, test := range []struct {
		header, value string
		foreign       bool
	}{
		{"Authorization", "Bearer " + Key, false},
		{"X-Api-Key", Key, false},
		{"X-Goog-Api-Key", "somebody's", true},
		{"Authorization", "Bearer somebody's", true},
		{"Cookie", "session=somebody's", true},
		{"Accept", "*/*", false},
	} {
		s := start(t)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/models?key="+url.QueryEscape(Key)+"&page=2", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(test.header, test.value)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		r := s.Log()[0]
		if text, _ := json.Marshal(r); bytes.Contains(text, []byte(Key)) || bytes.Contains(text, []byte("somebody")) {
			t.Errorf("%s: kept in %s", test.header, text)
		}
		if r.Foreign != test.foreign || r.Path != "/v1/models?page=2" || r.Status != 404 {
			t.Errorf("%s: foreign %v, %s, %d", test.header, r.Foreign, r.Path, r.Status)
		}
	}
}

// TestStrays: a program that wants out of the machine comes to its proxy, the stand-in.
func TestStrays(t *testing.T) {
	s := start(t, Say("never"))
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	if _, err := client.Get("https://example.invalid/v1/messages"); err == nil {
		t.Error("a tunnel was opened")
	}
	resp, err := client.Post("http://example.invalid/v1/messages", "application/json", strings.NewReader(asked[0].body))
	if err != nil || resp.StatusCode != http.StatusForbidden {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	for i, path := range []string{"example.invalid:443", "example.invalid/v1/messages"} {
		if r := s.Log()[i]; !r.Stray || r.Path != path {
			t.Errorf("kept as %q, stray %v; want %q", r.Path, r.Stray, path)
		}
	}
	if len(s.Asked()) != 0 || s.Left() != 1 {
		t.Error("a stray used up a turn")
	}
}
