package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/process"
	"mulligan/task"
)

// take takes a turn with a fake of this mode.
func take(t *testing.T, mode string, b agenttest.Behaviour, change ...func(*mulligan.AgentSpec, *agent.Deps, *mulligan.Turn)) (mulligan.Result, string) {
	t.Helper()
	var log strings.Builder
	spec := mulligan.AgentSpec{Name: "any", Permissions: "full", Env: []string{"FAKE"}, Timeout: outerLimit}
	deps := agent.Deps{Pool: agenttest.Pool(t), Environ: []string{"PATH=" + os.Getenv("PATH"), "FAKE=" + mode}}
	turn := mulligan.Turn{Session: "s1", Number: 1, Prompt: "please", Dir: t.TempDir(), Log: &log}
	for _, f := range change {
		f(&spec, &deps, &turn)
	}
	r, err := build(t, spec, deps, agenttest.FakeCommand(t, b)...).Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return r, log.String()
}

func TestConversations(t *testing.T) {
	say := agenttest.Behaviour{Say: "hello"}
	for mode, continues := range map[string]bool{"loads": true, "resumes": true, "forgets": false} {
		first, _ := take(t, mode, say)
		if (first.Conversation != "") != continues || first.Message != "hello" {
			t.Fatalf("%s: %+v", mode, first)
		}
		second, log := take(t, mode, say, func(_ *mulligan.AgentSpec, _ *agent.Deps, turn *mulligan.Turn) {
			turn.Conversation = first.Conversation
		})
		if second.Conversation != first.Conversation || second.Message != "hello" {
			t.Errorf("%s: went on as %+v", mode, second)
		}
		if strings.Contains(log, "long ago") || strings.Contains(log, "too late") {
			t.Errorf("%s: an old message is in the log of the turn: %s", mode, log)
		}
	}
}

// A conversation that is not there any more is not asked for again; one that could not be asked
// for is.
func TestLostConversation(t *testing.T) {
	for mode, want := range map[string]string{"loses": "", "login": "c1", "version 9": "c1"} {
		r, log := take(t, mode, agenttest.Behaviour{Say: "hello"}, func(_ *mulligan.AgentSpec, _ *agent.Deps, turn *mulligan.Turn) {
			turn.Conversation = "c1"
		})
		if r.Conversation != want || r.Ending.Examined() {
			t.Errorf("%s: %s (%s), goes on with %q; log:\n%s", mode, r.Ending, r.Reason, r.Conversation, log)
		}
		if mode == "loses" && !strings.Contains(r.Reason, "open the conversation: Internal error: no such session (-32603)") {
			t.Errorf("%q", r.Reason)
		}
	}
}

// A program that talks of its trouble and dies has not refused the conversation.
func TestConversationOfAProgramThatDies(t *testing.T) {
	r, log := take(t, "chatters", agenttest.Behaviour{}, func(_ *mulligan.AgentSpec, _ *agent.Deps, turn *mulligan.Turn) {
		turn.Conversation = "c1"
	})
	if r.Ending != mulligan.Crashed || r.Conversation != "c1" || r.Reason != "exit status 1: I give up" {
		t.Errorf("%s (%s), goes on with %q", r.Ending, r.Reason, r.Conversation)
	}
	if !strings.Contains(log, `"msg":"the disk is full"`) {
		t.Errorf("the log lacks what it said:\n%s", log)
	}
}

func TestEndings(t *testing.T) {
	for mode, want := range map[string]mulligan.Result{
		"stops end_turn":          {Ending: mulligan.Finished},
		"stops max_tokens":        {Ending: mulligan.AtLimit},
		"stops max_turn_requests": {Ending: mulligan.AtLimit},
		"stops refusal":           {Ending: mulligan.Refused},
		"stops cancelled":         {Ending: mulligan.Crashed}, // nobody asked it to
		"stops never_heard_of":    {Ending: mulligan.Crashed},
		"error 429":               {Ending: mulligan.RateLimited},
		"error 401":               {Ending: mulligan.Unavailable, Cause: mulligan.Auth},
		"error 403":               {Ending: mulligan.Unavailable, Cause: mulligan.Auth},
		"error 402":               {Ending: mulligan.Unavailable, Cause: mulligan.Billing},
		"error 503":               {Ending: mulligan.Unavailable, Cause: mulligan.Network},
		"error -32000":            {Ending: mulligan.Unavailable, Cause: mulligan.Auth},
		"error -32603":            {Ending: mulligan.Crashed}, // whatever its message says
		"error 400":               {Ending: mulligan.Crashed},
		"login":                   {Ending: mulligan.Unavailable, Cause: mulligan.Auth},
		"version 9":               {Ending: mulligan.Unavailable, Cause: mulligan.Missing},
		"lingers":                 {Ending: mulligan.Finished},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r, log := take(t, mode, agenttest.Behaviour{Say: "hello"})
			if r.Ending != want.Ending || r.Cause != want.Cause {
				t.Errorf("%s %s (%s); log:\n%s", r.Ending, r.Cause, r.Reason, log)
			}
			if (r.Reason == "") != (r.Ending == mulligan.Finished) || strings.Contains(r.Reason, "\n") {
				t.Errorf("reason = %q", r.Reason)
			}
			if usage := (mulligan.Usage{InputTokens: 100, OutputTokens: 30, CachedTokens: 20, Estimated: true}); strings.HasPrefix(mode, "stops") && r.Usage != usage {
				t.Errorf("usage %+v", r.Usage)
			}
		})
	}
}

// An agent that is ended at its limit may still answer: that is no turn which finished.
func TestAnswerOfAnAgentThatIsEnded(t *testing.T) {
	r, log := take(t, "answers when ended", agenttest.Behaviour{Say: "done"}, func(s *mulligan.AgentSpec, _ *agent.Deps, _ *mulligan.Turn) {
		s.Timeout = 2 * time.Second
	})
	if r.Ending != mulligan.TimedOut || r.Reason != "timed out after 2s" {
		t.Errorf("%s (%s); log:\n%s", r.Ending, r.Reason, log)
	}
}

// Large lines, many notifications, what is not known, what is no JSON: all of it is borne, and
// the log is for people.
func TestOddThingsAreBorne(t *testing.T) {
	r, log := take(t, "odd", agenttest.Behaviour{Say: "done"})
	if r.Ending != mulligan.Finished || r.Message != "done" {
		t.Fatalf("%s (%s): %q", r.Ending, r.Reason, r.Message)
	}
	for _, want := range []string{
		"| a banner that is no JSON\n[plan] pending: look\n~ hmm, so\nI look.\n> read: cat big\n| big big ",
		" bytes left out here; the agent's own transcript may have them …]\n| big big ", "big big \n[changed a.go]\n[failed] cat big\n[a message of ", " bytes was passed over]\ndone\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if strings.Contains(log, "of another") || len(log) > 1<<20 {
		t.Errorf("%d bytes of log", len(log))
	}
}

func TestPermissions(t *testing.T) {
	const yes, no = `{"outcome":{"optionId":"Y","outcome":"selected"}}`, `{"outcome":{"optionId":"N","outcome":"selected"}}`
	person := func(_ context.Context, _ mulligan.Turn, tool string, args any) (json.RawMessage, error) {
		answer := "deny"
		if tool == task.ToolPermit && args.(task.PermitArgs).What == "execute: do execute" {
			answer = "allow"
		}
		return json.Marshal(task.Answer{Answer: answer, By: mulligan.ByPerson})
	}
	for _, tt := range []struct {
		permissions string
		tools       func(context.Context, mulligan.Turn, string, any) (json.RawMessage, error)
		want        []string // read, edit, execute, other
		denied      []string
	}{
		{"full", nil, []string{yes, yes, yes, yes}, nil},
		{"edits", nil, []string{yes, yes, no, no}, []string{"execute: do execute", "other: do other"}},
		{"ask", nil, []string{no, no, no, no}, []string{"read: do read", "edit: do edit", "execute: do execute", "other: do other"}},
		{"ask", person, []string{no, no, yes, no}, []string{"read: do read", "edit: do edit", "other: do other"}},
	} {
		r, log := take(t, "asks", agenttest.Behaviour{Say: "so be it"}, func(spec *mulligan.AgentSpec, deps *agent.Deps, _ *mulligan.Turn) {
			spec.Permissions, deps.Tools = tt.permissions, tt.tools
		})
		for i, kind := range []string{"read", "edit", "execute", "other"} {
			if !strings.Contains(log, kind+" "+tt.want[i]+"\n") {
				t.Errorf("%s: %s was not answered %s; log:\n%s", tt.permissions, kind, tt.want[i], log)
			}
		}
		if r.Ending != mulligan.Finished || !slices.Equal(r.Denied, tt.denied) {
			t.Errorf("%s: %s (%s), denied %q", tt.permissions, r.Ending, r.Reason, r.Denied)
		}
		for _, d := range r.DeniedUses("any") {
			want := "agents: {any: {permissions: full}}"
			if strings.HasPrefix(d.Tool, "read") || strings.HasPrefix(d.Tool, "edit") {
				want = "agents: {any: {permissions: edits}}"
			}
			if d.Allow != want {
				t.Errorf("%s, %s: to allow it: %s", tt.permissions, d.Tool, d.Allow)
			}
		}
	}
}

// Answers are chosen by kind; where there is none of the kind, nothing is allowed by accident.
func TestAnswerTo(t *testing.T) {
	for _, tt := range []struct {
		options []option
		allowed bool
		want    string
	}{
		{[]option{{"a", "allow_always"}, {"b", "allow_once"}}, true, "b"},
		{[]option{{"a", "allow_always"}, {"b", "reject_once"}}, true, "a"},
		{[]option{{"a", "reject_always"}, {"b", "reject_once"}}, false, "b"},
		{[]option{{"a", "allow_once"}, {"b", "reject_always"}}, false, "b"},
		{[]option{{"reject", "allow_once"}}, false, ""},
		{[]option{{"allow", "reject_once"}}, true, ""},
		{nil, true, ""},
	} {
		got, _ := json.Marshal(chooseOption(tt.options, tt.allowed))
		want := fmt.Sprintf(`{"outcome":{"optionId":%q,"outcome":"selected"}}`, tt.want)
		if tt.want == "" {
			want = `{"outcome":{"outcome":"cancelled"}}`
		}
		if string(got) != want {
			t.Errorf("%v, %v: %s", tt.options, tt.allowed, got)
		}
	}
}

func TestModel(t *testing.T) {
	for _, tt := range []struct {
		mode, model string
		want        mulligan.Ending
	}{
		{"models", "good", mulligan.Finished},
		{"models", "bad", mulligan.Crashed},
		{"", "good", mulligan.Unavailable}, // never in silence with another
		{"models", "", mulligan.Finished},
	} {
		r, log := take(t, tt.mode, agenttest.Behaviour{Say: "hello"}, func(_ *mulligan.AgentSpec, _ *agent.Deps, turn *mulligan.Turn) {
			turn.Model = tt.model
		})
		if r.Ending != tt.want || r.Ending != mulligan.Finished && !strings.Contains(r.Reason, "model") {
			t.Errorf("%q, %q: %s (%s); log:\n%s", tt.mode, tt.model, r.Ending, r.Reason, log)
		}
	}
}

// An agent that is asked to end its turn ends it itself; one that is to go at once is not asked.
func TestCancel(t *testing.T) {
	for _, cause := range []error{nil, process.ErrNow} {
		ctx, stop := context.WithCancelCause(t.Context())
		var log strings.Builder
		dir := t.TempDir()
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(dir + "/begun"); err == nil {
					stop(cause)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
		a := build(t, mulligan.AgentSpec{}, agent.Deps{Pool: agenttest.Pool(t), Environ: os.Environ()},
			agenttest.FakeCommand(t, agenttest.Behaviour{Write: map[string]string{"begun": ""}, Hang: true})...)
		r, err := a.Turn(ctx, mulligan.Turn{Dir: dir, Log: &log})
		if err != nil || r.Ending != mulligan.Cancelled || r.Conversation == "" {
			t.Errorf("%v: %+v, %v", cause, r, err)
		}
	}
}

// The session's tools are handed over with what they are reached by, and nothing else of the
// environment.
func TestServers(t *testing.T) {
	turn := mulligan.Turn{Env: []string{"MULLIGAN=/bin/m", "MULLIGAN_DOOR=d", "MULLIGAN_TOKEN=secret"}}
	a := build(t, mulligan.AgentSpec{}, agent.Deps{Environ: []string{"HOME=/h"}}, "x")
	x := &exchange{agent: a, turn: turn, env: a.environment(turn)}
	got, _ := json.Marshal(x.toolServers())
	for _, want := range []string{`"name":"mulligan"`, `"command":"/bin/m"`, `"args":["mcp"]`, `{"name":"MULLIGAN_TOKEN","value":"secret"}`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if strings.Contains(string(got), "HOME") {
		t.Errorf("%s", got)
	}
	x.turn.Env = nil
	if got, _ := json.Marshal(x.toolServers()); string(got) != "[]" {
		t.Errorf("without a door: %s", got)
	}
}

func TestEnvOfKnownPrograms(t *testing.T) {
	environ := []string{"GEMINI_API_KEY=g", "ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=o", "CODEX_HOME=/c"}
	for program, want := range map[string]string{
		"gemini": "GEMINI_API_KEY=g", "/opt/bin/gemini": "GEMINI_API_KEY=g", "claude-agent-acp": "ANTHROPIC_API_KEY=a",
		"codex-acp": "OPENAI_API_KEY=o CODEX_HOME=/c", "another": "",
	} {
		a := build(t, mulligan.AgentSpec{}, agent.Deps{Environ: environ}, program, "--acp")
		if got := strings.Join(process.Base(a.environment(mulligan.Turn{}), []string{"GEMINI_*", "ANTHROPIC_*", "OPENAI_*", "CODEX_*"}), " "); got != want {
			t.Errorf("%s gets %q", program, got)
		}
	}
}

// What codex-acp may do is said in its own words, unless the user has.
func TestModesOfCodex(t *testing.T) {
	for _, c := range []struct{ program, permissions, users, want string }{
		{"codex-acp", "full", "", "agent-full-access"},
		{"/opt/codex-acp", "edits", "", "workspace-write"},
		{"codex-acp", "ask", "", "read-only"},
		{"codex-acp", "edits", "agent", "agent"},
		{"gemini", "edits", "", ""},
	} {
		deps := agent.Deps{}
		if c.users != "" {
			deps.Environ = []string{codexMode + "=" + c.users}
		}
		a := build(t, mulligan.AgentSpec{Permissions: c.permissions}, deps, c.program)
		if got, _ := process.Lookup(a.environment(mulligan.Turn{}), codexMode); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestFirstKeys(t *testing.T) {
	for head, want := range map[string]string{
		`{"jsonrpc":"2.0","method":"m","params":{"x":"cut`: "jsonrpc method params",
		`{"jsonrpc":"2.0","id":7,"result":[1,2,`:           "id jsonrpc result",
		`{"params":[{"id":1,"method":"x"},2,"cut`:          "params",
		`[1`: "",
		`{"a":{"id":1},"id":"x","method":"m","params":{"id":null`: "a id method params",
	} {
		var keys []string
		for k := range firstKeys([]byte(head)) {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s: %q", head, got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, options := range []string{``, `{}`, `{"exec":[]}`, `{"exec":[""]}`, `{"exec":"x"}`} {
		if _, err := New(mulligan.AgentSpec{Options: json.RawMessage(options)}, agent.Deps{}); err == nil {
			t.Errorf("options %q were taken", options)
		}
	}
}
