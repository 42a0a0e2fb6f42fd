package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mulligan"
	"mulligan/state"
	"mulligan/task"
)

func onBoard(st *state.State) Call {
	return func(_ context.Context, r task.Request) (json.RawMessage, error) {
		if r.Tool == task.ToolAsk {
			return nil, errors.New("the session broke")
		}
		bodies, reply, err := task.Apply(st, r)
		if err != nil {
			return nil, err
		}
		for _, b := range bodies {
			if err := st.Apply(mulligan.Event{Number: st.Last + 1, Body: b}); err != nil {
				return nil, err
			}
		}
		return json.Marshal(reply)
	}
}

func newState() *state.State {
	return &state.State{ID: "s", Last: 1, Iteration: 1, Plan: &mulligan.Plan{Loop: &mulligan.Loop{}}}
}

// client returns the kit's own client, connected to a server of ours.
func client(t *testing.T, to mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), to, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func inMemory(t *testing.T, call Call) *mcp.ClientSession {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	go Server(call, "1.2.3").Run(t.Context(), there)
	return client(t, here)
}

func TestEveryToolIsOffered(t *testing.T) {
	session := inMemory(t, onBoard(newState()))
	if got := session.InitializeResult(); got.ServerInfo.Name != "mulligan" || got.ServerInfo.Version != "1.2.3" || !strings.Contains(got.Instructions, "task_next") {
		t.Errorf("%+v", got)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	offered := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		offered[tool.Name] = tool
	}
	for _, want := range task.Tools() {
		got := offered[want.Name]
		if got == nil || got.Description != want.Doc {
			t.Errorf("%s: %+v", want.Name, got)
			continue
		}
		var ours any
		json.Unmarshal(want.Schema(), &ours)
		a, _ := json.Marshal(ours)
		b, _ := json.Marshal(got.InputSchema)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: schema %s, want %s", want.Name, b, a)
		}
	}
	if len(offered) != len(task.Tools()) {
		t.Errorf("%d tools", len(offered))
	}
}

func TestCalls(t *testing.T) {
	session := inMemory(t, onBoard(newState()))
	call := func(tool string, args any) (string, bool) {
		t.Helper()
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	if text, wrong := call(task.ToolAdd, map[string]any{"content": "a", "priority": 0}); wrong || !strings.Contains(text, `"priority":0`) {
		t.Errorf("%s, %v", text, wrong)
	}
	if text, wrong := call(task.ToolAdd, map[string]any{"content": "A"}); !wrong || !strings.Contains(text, "task 1 has the same content") {
		t.Errorf("a refusal: %s, %v", text, wrong)
	}
	// The kit must not judge the arguments before we do: its words are not for models.
	if text, wrong := call(task.ToolAdd, map[string]any{"content": "b", "prio": 1}); !wrong || !strings.Contains(text, "it takes content (required), priority") {
		t.Errorf("an unknown field: %s, %v", text, wrong)
	}
	if text, wrong := call(task.ToolAsk, map[string]any{"question": "q"}); !wrong || text != "the session broke" {
		t.Errorf("a fault: %s, %v", text, wrong)
	}
}

func TestListenOnThisMachineAlone(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "localhost:0", "192.0.2.1:80", "[::]:0", "example.com:80", "127.0.0.1", ""} {
		if ln, err := Listen(address); err == nil {
			ln.Close()
			t.Errorf("%q is listened on", address)
		}
	}
}

// bearer adds the token to what a client sends.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTP(t *testing.T) {
	ln, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- ln.Serve(ctx, Server(onBoard(newState()), "1")) }()
	session := client(t, &mcp.StreamableClientTransport{Endpoint: ln.URL, HTTPClient: &http.Client{Transport: bearer(ln.Token)}})
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: task.ToolAdd, Arguments: map[string]any{"content": "a"}})
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	refused(t, ln)
	session.Close()
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it does not end")
	}
}

// refused: a request without the token, and one that a browser sends, gets nowhere.
func refused(t *testing.T, ln *Listener) {
	t.Helper()
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	tests := []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"as it should be", func(*http.Request) {}, http.StatusOK},
		{"its own origin", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }, http.StatusOK},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		{"a wrong token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, http.StatusUnauthorized},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic "+ln.Token) }, http.StatusUnauthorized},
		{"a foreign host", func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		{"a foreign origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"no origin at all", func(r *http.Request) { r.Header.Set("Origin", "null") }, http.StatusForbidden},
	}
	for _, test := range tests {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, ln.URL, strings.NewReader(initialize))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+ln.Token)
		test.change(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != test.want {
			t.Errorf("%s: %s", test.name, resp.Status)
		}
	}
}

// A client that goes away ends the program: it is the agent's child. What it has asked for is answered
// first, also by a busy machine, but not waited for without end.
func TestStdioEndsWithItsInput(t *testing.T) {
	for _, c := range []struct {
		takes   time.Duration
		answers int
	}{{0, 2}, {10 * time.Second, 2}, {time.Hour, 1}} {
		synctest.Test(t, func(t *testing.T) {
			answers := piped(t, func(ctx context.Context, r task.Request) (json.RawMessage, error) {
				select {
				case <-ctx.Done():
				case <-time.After(c.takes):
				}
				return onBoard(newState())(ctx, r)
			})
			if len(answers) != c.answers {
				t.Errorf("a call takes %s: got %q, want %d answers", c.takes, answers, c.answers)
			}
			if added := strings.Contains(answers[len(answers)-1], `\"id\":1`); added != (c.answers == 2) {
				t.Errorf("a call takes %s: the answer to it is %v: %q", c.takes, added, answers)
			}
		})
	}
}

// piped returns the answers to a client that closes its end at once.
func piped(t *testing.T, call Call) []string {
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"task_add","arguments":{"content":"a"}}}`,
	}
	var out bytes.Buffer
	if err := Stdio(t.Context(), Server(call, "1"), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Error(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}
