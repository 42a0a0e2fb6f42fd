package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/state"
	"mulligan/task"
	"mulligan/task/door"
)

// openTestDoor opens a door to a board of its own and returns the environment of an agent behind it.
func openTestDoor(t *testing.T) []string {
	t.Helper()
	st := &state.State{
		ID: "s", Last: 1, Iteration: 2, Progress: state.Progress{Turn: 3, InFlight: &mulligan.TurnStarted{Turn: 3}},
		Plan: &mulligan.Plan{Loop: &mulligan.Loop{Iterations: 9}},
	}
	var mu sync.Mutex
	dir, err := os.MkdirTemp("", "door")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d := door.New(filepath.Join(dir, "d"), "")
	err = d.Open(func(_ context.Context, _ process.Role, r task.Request) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		if r.Tool == task.ToolAsk {
			args, err := task.DecodeAsk(r.Args)
			return task.Answer{Answer: args.Question + "?", By: mulligan.ByPerson}, err
		}
		bodies, reply, err := task.Apply(st, r)
		for _, b := range bodies {
			if err := st.Apply(mulligan.Event{Session: "s", Number: st.Last + 1, Body: b}); err != nil {
				t.Error(err)
			}
		}
		return reply, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return append(d.Env(process.RoleAgent), "HOME="+dir, "XDG_STATE_HOME="+dir)
}

// A mcpClient talks to `mulligan mcp` line by line.
type mcpClient struct {
	t    *testing.T
	in   io.Writer
	out  *bufio.Reader
	next int
}

func startMCP(t *testing.T, env []string) *mcpClient {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var errs bytes.Buffer
	app := &App{Env: &environ.Env{Stdin: inR, Stdout: outW, Stderr: &errs, Environ: env, Dir: t.TempDir()}}
	done := make(chan int, 1)
	go func() {
		done <- app.Run(context.Background(), []string{"mcp"})
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		if code := <-done; code != 0 || errs.Len() > 0 {
			t.Errorf("mcp: exit %d, %s", code, errs.String())
		}
	})
	c := &mcpClient{t: t, in: inW, out: bufio.NewReader(outR)}
	c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *mcpClient) ask(method, params string) json.RawMessage {
	c.t.Helper()
	c.next++
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.next, method, params)
	line, err := c.out.ReadBytes('\n')
	var answer struct {
		ID     int
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	if err != nil || answer.ID != c.next || answer.Error != nil {
		c.t.Fatalf("%s %s: %s, %v", method, params, line, err)
	}
	return answer.Result
}

// call calls a tool and returns its reply, or why it refused.
func (c *mcpClient) call(tool, args string) (reply, refused string) {
	c.t.Helper()
	var r struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	result := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	if err := json.Unmarshal(result, &r); err != nil || len(r.Content) != 1 {
		c.t.Fatalf("%s: %s, %v", tool, result, err)
	}
	if r.IsError {
		return "", r.Content[0].Text
	}
	if string(r.StructuredContent) != r.Content[0].Text {
		c.t.Errorf("%s: %s and %s", tool, r.StructuredContent, r.Content[0].Text)
	}
	return r.Content[0].Text, ""
}

// TestCommandLineAndMCPAreTheSame: the command line and MCP are one implementation: the same requests,
// in the same order, on two boards, get the same replies.
func TestCommandLineAndMCPAreTheSame(t *testing.T) {
	shell, server := openTestDoor(t), startMCP(t, openTestDoor(t))
	tests := []struct {
		line  []string
		stdin string
		tool  string
		args  string
	}{
		{[]string{"task", "next"}, "", task.ToolNext, `{}`},
		{[]string{"task", "add", "write the parser", "-p", "0"}, "", task.ToolAdd, `{"content":"write the parser","priority":0}`},
		{[]string{"task", "add", "Write  the PARSER"}, "", task.ToolAdd, `{"content":"Write  the PARSER"}`},
		{[]string{"task", "add", "-", "--depends", "1"}, "line 1\nline 2 $(touch pwned)\n", task.ToolAdd, `{"content":"line 1\nline 2 $(touch pwned)\n","depends":[1]}`},
		{[]string{"task", "add", "--status", "blocked", "--", "--dashes '\"`"}, "", task.ToolAdd, "{\"content\":\"--dashes '\\\"`\",\"status\":\"blocked\"}"},
		{[]string{"task", "add", "x", "-p", "7"}, "", task.ToolAdd, `{"content":"x","priority":7}`},
		{[]string{"task", "add-many"}, "a\n\nb\n", task.ToolAddMany, `{"tasks":[{"content":"a"},{"content":"b"}]}`},
		{[]string{"task", "add-many"}, `[{"content":"c"},{"content":"d","after":[1]}]`, task.ToolAddMany, `{"tasks":[{"content":"c"},{"content":"d","after":[1]}]}`},
		{[]string{"task", "add-many"}, `[{"content":"e","nope":1}]`, task.ToolAddMany, `{"tasks":[{"content":"e","nope":1}]}`},
		{[]string{"task", "list"}, "", task.ToolList, `{}`},
		{[]string{"task", "list", "--status", "remaining,blocked", "--limit", "2"}, "", task.ToolList, `{"status":["remaining","blocked"],"limit":2}`},
		{[]string{"task", "start", "1"}, "", task.ToolUpdate, `{"id":1,"status":"in_progress"}`},
		{[]string{"task", "done", "#1"}, "", task.ToolUpdate, `{"id":1,"status":"completed"}`},
		{[]string{"task", "done", "1"}, "", task.ToolUpdate, `{"id":1,"status":"completed"}`},
		{[]string{"task", "done", "7"}, "", task.ToolUpdate, `{"id":7,"status":"completed"}`},
		{[]string{"task", "block", "4", "--reason", "no key"}, "", task.ToolUpdate, `{"id":4,"status":"blocked","reason":"no key"}`},
		{[]string{"task", "cancel", "4"}, "", task.ToolUpdate, `{"id":4,"status":"cancelled"}`},
		{[]string{"task", "reopen", "4"}, "", task.ToolUpdate, `{"id":4,"status":"remaining"}`},
		{[]string{"task", "update", "7", "--depends", "", "-p", "0"}, "", task.ToolUpdate, `{"id":7,"depends":[],"priority":0}`},
		{[]string{"task", "update", "6", "--depends", "7,5", "--content", "new"}, "", task.ToolUpdate, `{"id":6,"depends":[7,5],"content":"new"}`},
		{[]string{"task", "update", "7", "--depends", "6"}, "", task.ToolUpdate, `{"id":7,"depends":[6]}`},
		{[]string{"task", "update", "99", "--status", "blocked"}, "", task.ToolUpdate, `{"id":99,"status":"blocked"}`},
		{[]string{"task", "next"}, "", task.ToolNext, `{}`},
		{[]string{"note", "add", "uses tabs", "-t", "learning"}, "", task.ToolNoteAdd, `{"text":"uses tabs","type":"learning"}`},
		{[]string{"note", "add", "plain"}, "", task.ToolNoteAdd, `{"text":"plain"}`},
		{[]string{"note", "add", "x", "--type", "idea"}, "", task.ToolNoteAdd, `{"text":"x","type":"idea"}`},
		{[]string{"note", "list"}, "", task.ToolNoteList, `{}`},
		{[]string{"note", "list", "--type", "learning"}, "", task.ToolNoteList, `{"type":"learning"}`},
		{[]string{"summary", "did things"}, "", task.ToolSummary, `{"text":"did things"}`},
		{[]string{"ask", "why", "--option", "a, b", "--option", "c", "--default", "c"}, "", task.ToolAsk, `{"question":"why","options":["a, b","c"],"default":"c"}`},
		{[]string{"ask", "why", "--option", "a", "--default", "c"}, "", task.ToolAsk, `{"question":"why","options":["a"],"default":"c"}`},
		{[]string{"complete", "all of it"}, "", task.ToolComplete, `{"text":"all of it"}`},
		{[]string{"task", "status"}, "", task.ToolStatus, `{}`},
	}
	seen := map[string]bool{}
	for _, test := range tests {
		seen[test.tool] = true
		var out, errs bytes.Buffer
		app := &App{Env: &environ.Env{Stdin: strings.NewReader(test.stdin), Stdout: &out, Stderr: &errs, Environ: shell, Dir: t.TempDir()}}
		line := append([]string{test.line[0], "--json"}, test.line[1:]...)
		code := app.Run(t.Context(), line)
		reply, refused := server.call(test.tool, test.args)
		switch {
		case refused != "" && (code != mulligan.ExitUsage || errs.String() != "mulligan: "+asCommands(refused)+"\n" || out.Len() > 0):
			t.Errorf("%q: exit %d, %s%s; MCP refuses: %s", test.line, code, errs.String(), out.String(), refused)
		case refused == "" && (code != 0 || out.String() != reply+"\n"):
			t.Errorf("%q: exit %d, %s%s; MCP replies: %s", test.line, code, errs.String(), out.String(), reply)
		}
	}
	for _, tool := range task.Tools() {
		if !seen[tool.Name] {
			t.Errorf("%s is not compared", tool.Name)
		}
	}
}

// TestShortOutput: without --json a model in a shell reads the output: it is short, and has nothing that
// a terminal obeys.
func TestShortOutput(t *testing.T) {
	env := openTestDoor(t)
	for _, test := range []struct{ line, want string }{
		{"task list", "no tasks\n"},
		{"task add evil\x1b[31mred -p 0", "added task 1; 1 open\n"},
		{"task add second --depends 1", "added task 2; 2 open\n"},
		{"task list", "   1  p0  remaining    evilred\n   2  p2  remaining    second (waits for 1)\n2 tasks: 2 remaining, 0 in progress, 0 completed, 0 blocked, 0 cancelled\n"},
		{"task next", "task 1, priority 0, remaining:\nevilred\n"},
		{"task done 1", "task 1 is completed; 1 open\n"},
		{"task cancel 2 --reason moot", "task 2 is cancelled; 0 open\nno task is open: when the whole spec is done, call `mulligan complete`; else add what is left\n"},
		{"task list --status cancelled", "   2  p2  cancelled    second (moot)\n2 tasks: 0 remaining, 0 in progress, 1 completed, 0 blocked, 1 cancelled\n"},
		{"note list", "no notes\n"},
		{"note add tabs", "added note 1 (note)\n"},
		{"note list", "   1  note        iteration 2  tabs\n"},
		{"ask why", "why?\n"},
		{"task status", "session s (loop), iteration 2 of 9, turn 3\n2 tasks: 0 remaining, 0 in progress, 1 completed, 0 blocked, 1 cancelled\n"},
		{"complete", "noted as a claim: the checks verify it after this turn, and what fails comes back to you; end your turn now\n"},
	} {
		var out, errs bytes.Buffer
		app := &App{Env: &environ.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: env, Dir: t.TempDir()}}
		if code := app.Run(t.Context(), strings.Fields(test.line)); code != 0 || out.String() != test.want {
			t.Errorf("%s: exit %d\n%s%swant\n%s", test.line, code, out.String(), errs.String(), test.want)
		}
	}
}

// TestForAgentsOnly: a command that makes sense only inside a turn says so elsewhere, and opens nothing.
func TestForAgentsOnly(t *testing.T) {
	for _, line := range [][]string{{"ask", "q"}, {"complete"}, {"summary", "s"}} {
		var errs bytes.Buffer
		home := t.TempDir()
		app := &App{Env: &environ.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, Environ: []string{"HOME=" + home}, Dir: home}}
		if code := app.Run(t.Context(), line); code != mulligan.ExitUsage || !strings.Contains(errs.String(), "for the agent of a running session") {
			t.Errorf("%q: exit %d, %s", line, code, errs.String())
		}
		if left, _ := os.ReadDir(home); len(left) > 0 {
			t.Errorf("%q: left %v", line, left)
		}
	}
}

// TestMCPOverHTTP: over HTTP the first line has the URL and the token; the token is not hidden as a
// secret from the caller that asked for it.
func TestMCPOverHTTP(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	outR, outW := io.Pipe()
	app := &App{Env: &environ.Env{Stdin: strings.NewReader(""), Stdout: outW, Stderr: io.Discard, Environ: openTestDoor(t), Dir: t.TempDir()}}
	done := make(chan int, 1)
	go func() { done <- app.Run(ctx, []string{"mcp", "--http", "127.0.0.1:0"}) }()
	var at struct{ URL, Token string }
	if err := json.NewDecoder(outR).Decode(&at); err != nil || len(at.Token) < 32 {
		t.Fatalf("%+v, %v", at, err)
	}
	for token, want := range map[string]int{at.Token: http.StatusOK, "x": http.StatusUnauthorized} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("token %.4s: %s", token, resp.Status)
		}
	}
	cancel()
	if code := <-done; code != mulligan.ExitInterrupted {
		t.Errorf("exit %d", code)
	}
}
