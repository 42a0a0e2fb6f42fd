package codex

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
	"mulligan/internal/redact"
)

// The errors are as version 0.166.0 gives them.
func TestClassify(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	reset := now.Add(90 * time.Minute)
	full := rateLimits{Primary: &window{Used: 100, Resets: reset.Unix()}, Secondary: &window{Used: 12, Resets: now.Add(99 * time.Hour).Unix()}}
	for _, tt := range []struct {
		error  string
		limits rateLimits
		ending mulligan.Ending
		cause  mulligan.Cause
		until  time.Time
	}{
		{`{"message":"exceeded retry limit, last status: 429 Too Many Requests","codexErrorInfo":{"responseTooManyFailedAttempts":{"httpStatusCode":429}}}`, rateLimits{}, mulligan.RateLimited, "", time.Time{}},
		{`{"message":"You’ve hit your usage limit. Try again at 9:01 PM.","codexErrorInfo":"usageLimitExceeded"}`, full, mulligan.RateLimited, "", reset},
		{`{"message":"You’ve hit your usage limit.","codexErrorInfo":"usageLimitExceeded"}`, rateLimits{}, mulligan.RateLimited, "", time.Time{}},
		{`{"message":"You’ve hit your usage limit.","codexErrorInfo":"usageLimitExceeded"}`, rateLimits{Reached: "workspace_member_credits_depleted"}, mulligan.Unavailable, mulligan.Billing, time.Time{}},
		{`{"message":"Quota exceeded. Check your plan and billing details.","codexErrorInfo":"usageLimitExceeded"}`, rateLimits{}, mulligan.Unavailable, mulligan.Billing, time.Time{}},
		{`{"message":"rate limit exceeded: Rate limit reached for gpt-5.5. Please try again in 11.5s.","codexErrorInfo":"rateLimitExceeded"}`, rateLimits{}, mulligan.RateLimited, "", now.Add(11500 * time.Millisecond)},
		{`{"message":"rate limit exceeded: Rate limit reached. Please try again in 6m0s. Visit us.","codexErrorInfo":"rateLimitExceeded"}`, rateLimits{}, mulligan.RateLimited, "", now.Add(6 * time.Minute)},
		{`{"message":"unexpected status 401 Unauthorized","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":401}}}`, rateLimits{}, mulligan.Unavailable, mulligan.Auth, time.Time{}},
		{`{"message":"unexpected status 403 Forbidden","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":403}}}`, rateLimits{}, mulligan.Unavailable, mulligan.Auth, time.Time{}},
		{`{"message":"unexpected status 402","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":402}}}`, rateLimits{}, mulligan.Unavailable, mulligan.Billing, time.Time{}},
		{`{"message":"unexpected status 529","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":529}}}`, rateLimits{}, mulligan.Unavailable, mulligan.Network, time.Time{}},
		{`{"message":"unexpected status 404 Not Found","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":404}}}`, rateLimits{}, mulligan.Crashed, "", time.Time{}},
		{`{"message":"x","codexErrorInfo":{"responseStreamDisconnected":{"httpStatusCode":null}}}`, rateLimits{}, mulligan.Unavailable, mulligan.Network, time.Time{}},
		{`{"message":"We’re currently experiencing high demand","codexErrorInfo":"internalServerError"}`, rateLimits{}, mulligan.Unavailable, mulligan.Network, time.Time{}},
		{`{"message":"Selected model is at capacity.","codexErrorInfo":"serverOverloaded"}`, rateLimits{}, mulligan.Unavailable, mulligan.Network, time.Time{}},
		{`{"message":"stream disconnected before completion: Transport error","codexErrorInfo":"other"}`, rateLimits{}, mulligan.Unavailable, mulligan.Network, time.Time{}},
		{`{"message":"stream disconnected before completion: Incomplete response returned, reason: content_filter","codexErrorInfo":"other"}`, rateLimits{}, mulligan.Refused, "", time.Time{}},
		{`{"message":"x","codexErrorInfo":"cyberPolicy"}`, rateLimits{}, mulligan.Refused, "", time.Time{}},
		{`{"message":"Incomplete response returned, reason: max_output_tokens","codexErrorInfo":"other"}`, rateLimits{}, mulligan.AtLimit, "", time.Time{}},
		{`{"message":"Codex ran out of room","codexErrorInfo":"contextWindowExceeded"}`, rateLimits{}, mulligan.AtLimit, "", time.Time{}},
		{"{\"message\":\"Missing environment variable: `KEY`.\",\"codexErrorInfo\":\"other\"}", rateLimits{}, mulligan.Unavailable, mulligan.Auth, time.Time{}},
		{`{"message":"no such model","codexErrorInfo":"modelNotFound"}`, rateLimits{}, mulligan.Unavailable, mulligan.Missing, time.Time{}},
		{`{"message":"unexpected","codexErrorInfo":"unauthorized"}`, rateLimits{}, mulligan.Unavailable, mulligan.Auth, time.Time{}},

		// A request's own text in the message decides nothing, nor does a kind that is not known.
		{`{"message":"{\"error\":{\"message\":\"429 Too Many Requests: rate limit exceeded\"}}","codexErrorInfo":"other"}`, rateLimits{}, mulligan.Crashed, "", time.Time{}},
		{`{"message":"the file says: stream disconnected before completion: x","codexErrorInfo":"other"}`, rateLimits{}, mulligan.Crashed, "", time.Time{}},
		{`{"message":"x","codexErrorInfo":"neverHeardOf"}`, rateLimits{}, mulligan.Crashed, "", time.Time{}},
		{`{"message":"x","codexErrorInfo":{"neverHeardOf":{"httpStatusCode":null,"more":[1]}}}`, rateLimits{}, mulligan.Crashed, "", time.Time{}},
		{`{"message":"x"}`, rateLimits{}, mulligan.Crashed, "", time.Time{}},
	} {
		var e turnError
		if err := json.Unmarshal([]byte(tt.error), &e); err != nil {
			t.Fatal(err)
		}
		if r := classifyError(e, tt.limits, now); r.Ending != tt.ending || r.Cause != tt.cause || !r.Until.Equal(tt.until) {
			t.Errorf("%s: %s %s %v, want %s %s %v", tt.error, r.Ending, r.Cause, r.Until, tt.ending, tt.cause, tt.until)
		}
	}
}

// talk returns an exchange whose thread is open, and its log.
func talk(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps) (*exchange, *strings.Builder) {
	t.Helper()
	var log strings.Builder
	a := build(t, spec, deps, Options{})
	x := newExchange(a, mulligan.Turn{}, nil, a.deps.Stream(&log))
	x.thread, x.turnID = "t1", "u1"
	x.permit = func(string, string, func(bool)) { t.Error("a person was asked") }
	return x, &log
}

func hear(x *exchange, lines ...string) {
	for _, line := range lines {
		x.takeLine([]byte(line))
	}
}

func TestLogIsForPeople(t *testing.T) {
	x, log := talk(t, mulligan.AgentSpec{}, agent.Deps{})
	hear(x,
		`not JSON at all`,
		`{"method":"item/agentMessage/delta","params":{"threadId":"t1","itemId":"m1","delta":"I will "}}`,
		`{"method":"item/agentMessage/delta","params":{"threadId":"t1","itemId":"m1","delta":"look."}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"agentMessage","id":"m1","text":"I will look."}}}`,
		`{"method":"item/started","params":{"threadId":"t1","item":{"type":"commandExecution","id":"c1","command":"go test"}}}`,
		`{"method":"item/commandExecution/outputDelta","params":{"threadId":"t1","itemId":"c1","delta":"FAIL\n"}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"commandExecution","id":"c1","command":"go test","status":"failed","aggregatedOutput":"FAIL\n","exitCode":1}}}`,
		`{"method":"item/started","params":{"threadId":"t1","item":{"type":"commandExecution","id":"c2","command":"ls"}}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"commandExecution","id":"c2","command":"ls","status":"completed","aggregatedOutput":"a.go","exitCode":0}}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"fileChange","id":"f1","status":"completed","changes":[{"path":"a.go","kind":{"type":"update"}}]}}}`,
		`{"method":"item/started","params":{"threadId":"t1","item":{"type":"mcpToolCall","id":"x1","server":"mulligan","tool":"task_add","arguments":{"content":"more"}}}}`,
		`{"method":"item/started","params":{"threadId":"t1","item":{"type":"mcpToolCall","id":"x2","server":"other","tool":"task_add","arguments":{"content":"more"}}}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"mcpToolCall","id":"x1","server":"mulligan","tool":"task_add","error":{"message":"no"}}}}`,
		`{"method":"item/completed","params":{"threadId":"other","item":{"type":"agentMessage","id":"m7","text":"of another agent"}}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"reasoning","summary":["it fails"]}}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"neverHeardOf","id":{"a":1},"text":["x"]}}}`,
		`{"method":"configWarning","params":{"summary":"something is odd","details":null}}`,
		`{"method":"item/completed","params":{"threadId":"t1","item":{"type":"agentMessage","id":"m2","text":"Done."}}}`,
	)
	const want = "| not JSON at all\nI will look.\n> run go test\n| FAIL\n[exit status 1]\n> run ls\n| a.go\n> update a.go\n" +
		">: mulligan.task_add more\n> other.task_add {\"content\":\"more\"}\n[mulligan.task_add failed: no]\n~ it fails\n[codex: something is odd]\nDone.\n"
	if log.String() != want {
		t.Errorf("the log is\n%s", log.String())
	}
	if message, cut := x.message.Finish(); message != "Done." || cut {
		t.Errorf("the message is %q", message)
	}
}

func TestUsageIsOfTheTurn(t *testing.T) {
	update := func(turn string, total, last int) string {
		return fmt.Sprintf(`{"method":"thread/tokenUsage/updated","params":{"threadId":"t1","turnId":%q,"tokenUsage":{"total":{"inputTokens":%d,"cachedInputTokens":%d,"outputTokens":%d},"last":{"inputTokens":%d,"cachedInputTokens":%d,"outputTokens":%d}}}}`,
			turn, total, total/10, total/5, last, last/10, last/5)
	}
	for name, lines := range map[string][]string{
		"after a resume":           {update("u0", 1000, 500), update("u1", 1100, 100), update("u1", 1300, 200)},
		"told twice":               {update("u0", 1000, 500), update("u1", 1100, 100), update("u1", 1100, 100), update("u1", 1300, 200)},
		"no word of what was":      {update("u1", 1100, 100), update("u1", 1300, 200)},
		"the first of the thread":  {update("u1", 100, 100), update("u1", 300, 200)},
		"and of no agent it began": {update("u1", 100, 100), strings.ReplaceAll(update("u1", 9000, 9000), "t1", "t2"), update("u1", 300, 200)},
	} {
		x, _ := talk(t, mulligan.AgentSpec{}, agent.Deps{})
		hear(x, lines...)
		if got, want := x.spent.turnUsage(), (mulligan.Usage{InputTokens: 300, CachedTokens: 30, OutputTokens: 60, Turns: 2}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestAnswersToRequests(t *testing.T) {
	const (
		command = `{"id":0,"method":"item/commandExecution/requestApproval","params":{"command":"rm x","reason":"old"}}`
		change  = `{"id":0,"method":"item/fileChange/requestApproval","params":{"itemId":"f1"}}`
		more    = `{"id":0,"method":"item/permissions/requestApproval","params":{"permissions":{"network":{"enabled":true}}}}`
		own     = `{"id":0,"method":"mcpServer/elicitation/request","params":{"serverName":"mulligan","_meta":{"codex_approval_kind":"mcp_tool_call"}}}`
		tool    = `{"id":0,"method":"mcpServer/elicitation/request","params":{"serverName":"files","message":"Allow it?","_meta":{"codex_approval_kind":"mcp_tool_call"}}}`
		form    = `{"id":0,"method":"mcpServer/elicitation/request","params":{"serverName":"files","message":"What is your name?","_meta":null}}`
		check   = `{"id":0,"method":"item/commandExecution/requestApproval","params":{"command":"/bin/bash -lc 'go test ./...'"}}`
		longer  = `{"id":0,"method":"item/commandExecution/requestApproval","params":{"command":"/bin/bash -lc 'go test ./...; rm x'"}}`
		unknown = `{"id":"x","method":"item/tool/requestUserInput","params":{}}`
	)
	yes, no := true, false
	for _, tt := range []struct {
		permissions, request string
		person               *bool
		want                 string
		denied               int
	}{
		{"full", command, nil, `{"id":0,"result":{"decision":"accept"}}`, 0},
		{"edits", command, nil, `{"id":0,"result":{"decision":"decline"}}`, 0},
		{"edits", check, nil, `{"id":0,"result":{"decision":"accept"}}`, 0},
		{"edits", longer, nil, `{"id":0,"result":{"decision":"decline"}}`, 0},
		{"ask", check, &no, `{"id":0,"result":{"decision":"decline"}}`, 0},
		{"ask", command, &yes, `{"id":0,"result":{"decision":"accept"}}`, 0},
		{"ask", command, &no, `{"id":0,"result":{"decision":"decline"}}`, 0},
		{"ask", change, &yes, `{"id":0,"result":{"decision":"accept"}}`, 0},
		{"edits", more, nil, `{"id":0,"result":{"permissions":{},"scope":"turn"}}`, 1},
		{"ask", more, &yes, `{"id":0,"result":{"permissions":{"network":{"enabled":true}},"scope":"turn"}}`, 0},
		{"ask", own, nil, `{"id":0,"result":{"action":"accept","content":{}}}`, 0},
		{"ask", tool, &yes, `{"id":0,"result":{"action":"accept","content":{}}}`, 0},
		{"edits", tool, nil, `{"id":0,"result":{"action":"decline","content":null}}`, 1},
		{"full", form, nil, `{"id":0,"result":{"action":"decline","content":null}}`, 1},
		{"full", unknown, nil, `{"id":"x","error":{"code":-32601,"message":"nobody is here to do that: item/tool/requestUserInput"}}`, 0},
	} {
		x, _ := talk(t, mulligan.AgentSpec{Permissions: tt.permissions}, agent.Deps{})
		x.turn.Allowed = []string{"go test ./..."}
		if tt.person != nil {
			x.permit = func(_, _ string, answer func(bool)) { answer(*tt.person) }
		}
		hear(x, tt.request)
		x.out.Close()
		if got, _ := io.ReadAll(x.out); strings.TrimSpace(string(got)) != tt.want || len(x.denied) != tt.denied {
			t.Errorf("%s, %s:\n%s, denied %q; want\n%s", tt.permissions, tt.request, got, x.denied, tt.want)
		}
	}
}

// What a turn is opened with: never on the command line, where others could read it.
func TestThreadParams(t *testing.T) {
	x, _ := talk(t, mulligan.AgentSpec{Permissions: "edits", Model: "usual"}, agent.Deps{})
	x.turn = mulligan.Turn{Conversation: "t1", Model: "special", Env: []string{"MULLIGAN=/bin/m", "MULLIGAN_DOOR=d", "MULLIGAN_TOKEN=secret"}}
	x.env = x.agent.environment(x.turn)
	x.open()
	x.out.Close()
	sent, _ := io.ReadAll(x.out)
	for _, want := range []string{
		`"method":"thread/resume"`, `"threadId":"t1"`, `"model":"special"`, `"approvalPolicy":"never"`, `"sandbox":"workspace-write"`,
		`"command":"/bin/m"`, `"MULLIGAN_TOKEN":"secret"`, `"default_tools_approval_mode":"approve"`, `"required":true`, `"startup_timeout_sec":120`,
	} {
		if !strings.Contains(string(sent), want) {
			t.Errorf("%s lacks %s", sent, want)
		}
	}
	if strings.Contains(string(sent), `"cwd"`) {
		t.Error("a folder is named, which Codex then writes into the user's config")
	}
	if argv := x.agent.commandLine(x.turn); slices.ContainsFunc(argv, func(s string) bool { return strings.Contains(s, "secret") }) {
		t.Errorf("%q", argv)
	}
}

func TestEndsOfTheProcess(t *testing.T) {
	done := `{"method":"turn/completed","params":{"threadId":"t1","turn":{"status":"completed","error":null}}}`
	for name, tt := range map[string]struct {
		lines  []string
		exit   process.Exit
		ending mulligan.Ending
		reason string
	}{
		"completed":                    {[]string{done}, process.Exit{}, mulligan.Finished, ""},
		"completed, and then broke":    {[]string{done}, process.Exit{Code: 101}, mulligan.Crashed, "exit status 101: last words"},
		"exit 0 without an end":        {nil, process.Exit{}, mulligan.Crashed, "codex ended before the turn did"},
		"interrupted by somebody":      {[]string{strings.ReplaceAll(done, `"status":"completed"`, `"status":"interrupted"`)}, process.Exit{}, mulligan.Crashed, "codex: the turn was interrupted"},
		"the end of another's turn":    {[]string{strings.ReplaceAll(done, "t1", "t2")}, process.Exit{}, mulligan.Crashed, "codex ended before the turn did"},
		"not opened":                   {[]string{`{"id":3,"error":{"code":-32600,"message":"no rollout found"}}`}, process.Exit{}, mulligan.Crashed, "codex: it would not open the conversation: no rollout found"},
		"too much to do":               {[]string{`{"id":4,"error":{"code":-32001,"message":"Server overloaded"}}`}, process.Exit{}, mulligan.Unavailable, "codex: it would not take the prompt: Server overloaded"},
		"stopped by us":                {nil, process.Exit{Code: 1, Cancelled: true}, mulligan.Cancelled, ""},
		"a limit of ours":              {nil, process.Exit{TimedOut: true, Limit: time.Minute}, mulligan.TimedOut, "timed out after 1m0s"},
		"failed with a secret in it":   {[]string{`{"method":"turn/completed","params":{"threadId":"t1","turn":{"status":"failed","error":{"message":"bad key\nplanted-value-0123","codexErrorInfo":"unauthorized"}}}}`}, process.Exit{}, mulligan.Unavailable, "codex: bad key [secret:MY_TOKEN]"},
		"an answer that names nothing": {[]string{`{"id":3,"result":{}}`}, process.Exit{}, mulligan.Crashed, "codex: its answer names no thread"},
	} {
		r := redact.New([]string{"MY_TOKEN=planted-value-0123"})
		x, _ := talk(t, mulligan.AgentSpec{}, agent.Deps{Filter: func(w io.Writer) io.WriteCloser { return r.Writer(w) }})
		hear(x, tt.lines...)
		got := x.turnResult(tt.exit, "last words")
		if got.Ending != tt.ending || tt.reason != "" && got.Reason != tt.reason {
			t.Errorf("%s: %s %q, want %s %q", name, got.Ending, got.Reason, tt.ending, tt.reason)
		}
	}
}

// A turn that failed before its conversation was open has not lost it; one whose conversation is
// not there has.
func TestLostConversation(t *testing.T) {
	for line, want := range map[string]string{
		``: "t0",
		`{"id":1,"error":{"code":-32600,"message":"no"}}`:               "t0",
		`{"id":3,"error":{"code":-32001,"message":"overloaded"}}`:       "t0",
		`{"id":3,"error":{"code":-32600,"message":"no rollout found"}}`: "",
		`{"id":3,"result":{"thread":{"id":"t0"}}}`:                      "t0",
	} {
		x, _ := talk(t, mulligan.AgentSpec{}, agent.Deps{})
		x.thread, x.turn.Conversation = "", "t0"
		hear(x, line)
		if r := x.turnResult(process.Exit{Code: 1}, ""); r.Conversation != want {
			t.Errorf("%s: goes on with %q", line, r.Conversation)
		}
	}
}

// Trouble that comes and goes is not a network that is gone.
func TestNetworkPatience(t *testing.T) {
	const trouble = `{"method":"error","params":{"threadId":"t1","willRetry":true,"error":{"message":"Reconnecting...","codexErrorInfo":{"responseStreamDisconnected":{"httpStatusCode":null}},"additionalDetails":"Connection failed"}}}`
	const progress = `{"method":"item/agentMessage/delta","params":{"threadId":"t1","itemId":"m1","delta":"x"}}`
	busy := strings.Replace(trouble, `"httpStatusCode":null`, `"httpStatusCode":429`, 1)
	for name, tt := range map[string]struct {
		lines  []string
		gaveUp bool
	}{
		"for long":           {[]string{trouble, trouble, trouble}, true},
		"once":               {[]string{trouble}, false},
		"with progress":      {[]string{trouble, progress, trouble, progress, trouble}, false},
		"of another kind":    {[]string{busy, busy, busy}, false},
		"of another's agent": {[]string{trouble, strings.ReplaceAll(trouble, "t1", "t2"), strings.ReplaceAll(trouble, "t1", "t2")}, false},
	} {
		x, _ := talk(t, mulligan.AgentSpec{}, agent.Deps{})
		now := time.Now()
		x.agent.now = func() time.Time { now = now.Add(networkPatience / 2); return now }
		hear(x, tt.lines...)
		x.out.Close()
		sent, _ := io.ReadAll(x.out)
		if asked := strings.Contains(string(sent), "turn/interrupt"); asked != tt.gaveUp || (x.gaveUp != nil) != tt.gaveUp {
			t.Errorf("%s: gave up: %v, sent %s", name, x.gaveUp != nil, sent)
		}
	}
}

func TestHookArgs(t *testing.T) {
	got := hookArgs([]agent.Hook{{Event: "PreToolUse", Matcher: `B"sh\`, Timeout: 1500 * time.Millisecond}, {Event: "PostToolUse"}, {Event: "PreToolUse", Matcher: "Edit"}})
	want := []string{
		"-c", `hooks.PostToolUse=[{matcher="",hooks=[{type="command",command="\"$MULLIGAN\" hook PostToolUse || exit 2"}]}]`,
		"-c", `hooks.PreToolUse=[{matcher="B\"sh\\",hooks=[{type="command",command="\"$MULLIGAN\" hook PreToolUse || exit 2",timeout=2}]},{matcher="Edit",hooks=[{type="command",command="\"$MULLIGAN\" hook PreToolUse || exit 2"}]}]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// Only the hooks that the command line gave are trusted by us.
func TestTrustIsForOurHooks(t *testing.T) {
	got := findOwnHooks(json.RawMessage(`{"data":[{"hooks":[
		{"key":"ours:0","source":"sessionFlags","currentHash":"sha256:1"},
		{"key":"theirs:0","source":"project","currentHash":"sha256:2"},
		{"key":"user:0","source":"user","currentHash":"sha256:3"}]}]}`))
	if len(got) != 1 || got["ours:0"].Hash != "sha256:1" {
		t.Errorf("%v", got)
	}
}

// A hook that Codex does not take is not passed over.
func TestHooksAreAllTakenOrNone(t *testing.T) {
	for list, goesOn := range map[string]bool{
		`{"data":[{"hooks":[{"key":"a","source":"sessionFlags","currentHash":"h"}]}]}`: true,
		`{"data":[{"hooks":[{"key":"a","source":"user","currentHash":"h"}]}]}`:         false,
		`{"data":[]}`: false,
		`[]`:          false,
	} {
		x, _ := talk(t, mulligan.AgentSpec{}, agent.Deps{})
		x.agent = build(t, mulligan.AgentSpec{}, agent.Deps{}, Options{Hooks: []agent.Hook{{Event: "PreToolUse"}}})
		hear(x, `{"id":1,"result":{}}`, `{"id":2,"result":`+list+`}`)
		x.out.Close()
		sent, _ := io.ReadAll(x.out)
		if strings.Contains(string(sent), "thread/start") != goesOn || (x.failed == "") != goesOn {
			t.Errorf("%s: %q, sent %s", list, x.failed, sent)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, spec := range []mulligan.AgentSpec{
		{Options: json.RawMessage(`{"exec":"codex"}`)},
		{Options: json.RawMessage(`{"exec":[""]}`)},
		{Options: json.RawMessage(`{"hooks":[{"event":"PreToolUse"},{"event":"TaskCompleted"}]}`)}, // it would never run
		{Args: []string{"--listen", "ws://0.0.0.0:1"}},
		{Args: []string{"--listen=off"}},
		{Args: []string{"-c", "a=1", "--sandbox", "read-only"}},
		{Args: []string{"--ws-auth=x"}},
		{Args: []string{"proxy"}},
		{Args: []string{"--"}},
	} {
		if _, err := New(spec, agent.Deps{}); err == nil {
			t.Errorf("%+v was taken", spec)
		}
	}
	a, err := New(mulligan.AgentSpec{Args: []string{"-c", "model_reasoning_effort=high", "--disable", "plugins"}}, agent.Deps{})
	if err != nil || !slices.Equal(a.commandLine(mulligan.Turn{}), []string{"codex", "app-server", "-c", "model_reasoning_effort=high", "--disable", "plugins"}) {
		t.Errorf("%v", err)
	}
}

// Marks of another Codex would make the program take itself for a part of that one.
func TestEnvironment(t *testing.T) {
	a := build(t, mulligan.AgentSpec{Env: []string{"MY_KEY"}}, agent.Deps{Environ: []string{
		"OPENAI_API_KEY=k", "CODEX_HOME=/h", "CODEX_THREAD_ID=x", "CODEX_SANDBOX=seatbelt", "MY_KEY=m", "OTHER_KEY=o",
	}}, Options{})
	env := process.Base(a.environment(mulligan.Turn{}), []string{"OPENAI_*", "CODEX_*", "*KEY"})
	if got := strings.Join(env, " "); got != "OPENAI_API_KEY=k CODEX_HOME=/h" {
		t.Errorf("%s", got)
	}
	if _, ok := process.Lookup(a.environment(mulligan.Turn{}), "MY_KEY"); !ok {
		t.Error("what the user named is not there")
	}
}
