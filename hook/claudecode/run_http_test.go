package claudecode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mulligan"
)

func TestHTTPHooks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   mulligan.AgentHookReply // without its runs
		exit   string
	}{
		{
			"nothing to say", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
			mulligan.AgentHookReply{Decision: mulligan.Allow},
			"HTTP 204 No Content",
		},
		{
			"block", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"decision":"block","reason":"no"}`) },
			mulligan.AgentHookReply{Decision: mulligan.Block, Reason: "no", Feedback: "no"},
			"HTTP 200 OK",
		},
		{
			"halt", func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, `{"continue":false,"stopReason":"enough"}`)
			},
			mulligan.AgentHookReply{Decision: mulligan.Halt, Reason: "enough"},
			"HTTP 200 OK",
		},
		{
			"text", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `thanks`) },
			mulligan.AgentHookReply{Decision: mulligan.Allow},
			"HTTP 200 OK",
		},
		{
			"error", func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, `{"decision":"approve"}`, http.StatusInternalServerError)
			},
			mulligan.AgentHookReply{Decision: mulligan.HookBroken, Reason: "h: HTTP 500 Internal Server Error", Messages: []string{`h: {"decision":"approve"}`}},
			"HTTP 500 Internal Server Error",
		},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				t.Errorf("the event went on to %s", r.URL)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, mulligan.AgentHookReply{Decision: mulligan.HookBroken, Reason: "h: HTTP 307 Temporary Redirect"}, "HTTP 307 Temporary Redirect"},
		{"too much", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat("x", maxBody)+`{"decision":"block"}`)
		}, mulligan.AgentHookReply{Decision: mulligan.HookBroken, Reason: "h: HTTP 200 OK: its answer is larger than 1 MiB"}, "HTTP 200 OK"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.answer)
			defer server.Close()
			b := newBench(t)
			hook := mulligan.AgentHook{Name: "h", Type: TypeHTTP, URL: server.URL, Timeout: hangGuard}
			got := b.run(hook)
			if len(got.Runs) != 1 || got.Runs[0].Exit != tt.exit {
				t.Errorf("runs: %+v", got.Runs)
			}
			got.Runs = nil
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			hook.FailOpen = true
			if open := b.run(hook); tt.want.Decision == mulligan.HookBroken && open.Decision != mulligan.Allow {
				t.Errorf("fails open: %+v", open)
			}
		})
	}
}

func TestHTTPRequest(t *testing.T) {
	var body, token, kind string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body, token, kind = r.Method+" "+string(text), r.Header.Get("Authorization"), r.Header.Get("Content-Type")
	}))
	defer server.Close()
	b := newBench(t)
	b.runner.Environ = []string{"HOOK_TOKEN=abc", "OTHER=def"}
	b.run(mulligan.AgentHook{
		Type: TypeHTTP, URL: server.URL, Timeout: hangGuard,
		Headers: map[string]string{"Authorization": "Bearer $HOOK_TOKEN-${OTHER}$NOT_SET $5"},
	})
	if want := "POST " + string(eventJSON(b.call)); body != want || token != "Bearer abc-def $5" || kind != "application/json" {
		t.Errorf("got %q, %q, %q", body, token, kind)
	}
}

func TestHTTPWithoutAnAnswer(t *testing.T) {
	stop := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	defer close(stop)
	gone := httptest.NewServer(nil)
	gone.Close()
	b := newBench(t)
	for _, tt := range []struct{ url, exit, reason string }{
		{slow.URL, "timed out after 200ms", "timed out"},
		{strings.Replace(gone.URL, "http://", "http://me:swordfish@", 1), "no answer", "refused"},
		{"file:///etc/hosts", "cannot be sent", "want http:// or https://"},
		{"http://%zz", "cannot be sent", "cannot be read"},
		{"", "cannot be sent", "want http:// or https://"},
	} {
		got := b.run(mulligan.AgentHook{Name: "h", Type: TypeHTTP, URL: tt.url, Timeout: 200 * time.Millisecond})
		if got.Decision != mulligan.HookBroken || got.Runs[0].Exit != tt.exit && tt.exit != "no answer" || !strings.Contains(got.Reason, tt.reason) {
			t.Errorf("%s: %+v", tt.url, got)
		}
		if strings.Contains(got.Reason, "swordfish") {
			t.Errorf("the password is shown: %s", got.Reason)
		}
	}
}

func TestPromptHooks(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		err         error
		decision    string
		reason      string
	}{
		{"ok", `{"ok": true}`, nil, mulligan.Allow, ""},
		{"not ok", `{"ok": false, "reason": "no tests"}`, nil, mulligan.Block, "no tests"},
		{"after thoughts", "Let me see: {\"ok\": true} would be wrong.\n```json\n{\"ok\":false,\"reason\":\"no tests\"}\n```", nil, mulligan.Block, "no tests"},
		{"no reason", `{"ok": false}`, nil, mulligan.Block, noReason},
		{"another form", `{"decision": "approve"}`, nil, mulligan.HookBroken, `no {"ok", "reason"} in the reply`},
		{"no JSON", `It is fine.`, nil, mulligan.HookBroken, "It is fine."},
		{"ok is no bool", `{"ok": "yes"}`, nil, mulligan.HookBroken, "in the reply"},
		{"nothing", "", nil, mulligan.HookBroken, "in the reply"},
		{"nobody", "", errors.New("the agent is not there"), mulligan.HookBroken, "the agent is not there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			var asked string
			b.call.BudgetUSD = 0.25
			b.runner.Judge = func(_ context.Context, agent string, turn mulligan.Turn) (mulligan.Result, error) {
				asked = agent + ": " + turn.Prompt
				if turn.Session != b.call.Session || turn.Dir != b.call.Dir || turn.BudgetUSD != 0.25 || turn.Log == nil {
					t.Errorf("the judge's turn is %+v", turn)
				}
				return mulligan.Result{Message: tt.reply, Usage: mulligan.Usage{InputTokens: 7, CostUSD: 0.5}}, tt.err
			}
			got := b.run(mulligan.AgentHook{Name: "h", Type: TypePrompt, Prompt: "Is it done? $ARGUMENTS.", Agent: "big", Timeout: hangGuard})
			if got.Decision != tt.decision || !strings.Contains(got.Reason, tt.reason) || (got.Decision == mulligan.Block) != (got.Feedback != "") {
				t.Errorf("got %+v", got)
			}
			if used := got.Runs[0].Judge; used == nil || *used != (mulligan.Usage{InputTokens: 7, CostUSD: 0.5}) {
				t.Errorf("the judge used %+v", used)
			}
			event := strings.TrimSpace(string(eventJSON(b.call)))
			if want := "big: Is it done? " + event + ".\n\n" + answerForm; asked != want {
				t.Errorf("asked %q, want %q", asked, want)
			}
		})
	}
}

func TestPromptWithoutArguments(t *testing.T) {
	b := newBench(t)
	b.runner.Judge = func(ctx context.Context, _ string, turn mulligan.Turn) (mulligan.Result, error) {
		if !strings.HasPrefix(turn.Prompt, "Is it done?\n\n{") {
			t.Errorf("asked %q", turn.Prompt)
		}
		<-ctx.Done()
		return mulligan.Result{Usage: mulligan.Usage{OutputTokens: 3}}, ctx.Err()
	}
	hook := mulligan.AgentHook{Name: "h", Type: TypePrompt, Prompt: "Is it done?", Timeout: 50 * time.Millisecond}
	if got := b.run(hook); got.Decision != mulligan.HookBroken || got.Runs[0].Exit != "timed out after 50ms" || got.Runs[0].Judge.OutputTokens != 3 {
		t.Errorf("got %+v", got)
	}
	b.runner.Judge = nil
	if got := b.run(hook); got.Decision != mulligan.HookBroken || got.Runs[0].Judge != nil {
		t.Errorf("nobody to ask: %+v", got)
	}
	if got := b.run(mulligan.AgentHook{Name: "h", Type: "mcp_tool"}); got.Decision != mulligan.HookBroken {
		t.Errorf("an unknown type: %+v", got)
	}
}
