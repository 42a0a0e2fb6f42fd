package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/process"
	"mulligan/task"
	"mulligan/test/modeltest"
)

// outerLimit ends a program that does not end itself.
const outerLimit = 5 * time.Minute

// A stage is the real program with a stand-in for its model.
type stage struct {
	t     *testing.T
	model *modeltest.Server
	agent *Agent
	turn  mulligan.Turn
	log   strings.Builder
}

func newStage(t *testing.T, script modeltest.Script, change ...func(*mulligan.AgentSpec, *agent.Deps, *Options)) *stage {
	t.Helper()
	program := modeltest.Agent(t, "codex")
	model, err := modeltest.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	spec := mulligan.AgentSpec{Name: "codex", Timeout: outerLimit, Permissions: "full"}
	deps := agent.Deps{Pool: agenttest.Pool(t), Environ: modeltest.Env(t, model, "codex")}
	opt := Options{Exec: []string{program}}
	for _, f := range change {
		f(&spec, &deps, &opt)
	}
	s := &stage{t: t, model: model, agent: build(t, spec, deps, opt)}
	s.turn = mulligan.Turn{Session: "s1", Step: "implement", Attempt: 1, Iteration: 1, Number: 1, Prompt: "please work", Dir: t.TempDir(), Log: &s.log}
	return s
}

func (s *stage) take() mulligan.Result {
	s.t.Helper()
	r, err := s.agent.Turn(s.t.Context(), s.turn)
	if err != nil {
		s.t.Fatalf("%v; log:\n%s", err, s.log.String())
	}
	return r
}

func (s *stage) ended(r mulligan.Result, ending mulligan.Ending, cause mulligan.Cause) {
	s.t.Helper()
	if r.Ending != ending || r.Cause != cause {
		s.t.Fatalf("%s %s (%s), want %s %s; log:\n%s", r.Ending, r.Cause, r.Reason, ending, cause, s.log.String())
	}
}

func exec(command string) modeltest.Turn {
	return modeltest.Use(modeltest.Call{Name: "exec_command", Input: map[string]any{"cmd": command}})
}

func patch(file, line string) modeltest.Turn {
	return modeltest.Use(modeltest.Call{Name: "apply_patch", Free: fmt.Sprintf("*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch\n", file, line)})
}

// Evidence goes back into the same conversation, in a process of its own; a fresh turn
// knows nothing of it. Each turn's usage is its own.
func TestRealConversation(t *testing.T) {
	s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{
		exec("echo wrong > answer; echo printed").At("write the answer"),
		modeltest.Say("the answer\nis written").At("printed"),
		patch("second.txt", "right").At("the check failed"),
		modeltest.Say("now it is right").At("second.txt"),
		modeltest.Say("a stranger").At("somebody else"),
	}})
	home, _ := process.Lookup(s.agent.deps.Environ, "CODEX_HOME")
	before, _ := os.ReadFile(filepath.Join(home, "config.toml"))

	s.turn.Prompt = "write the answer"
	first := s.take()
	s.ended(first, mulligan.Finished, "")
	if first.Message != "the answer\nis written" || first.Conversation == "" {
		t.Errorf("%+v", first)
	}
	for _, want := range []string{"> run /bin/", "echo wrong > answer", "\n| printed\n", "\nthe answer\nis written\n"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, s.log.String())
		}
	}
	if text, _ := os.ReadFile(filepath.Join(s.turn.Dir, "answer")); string(text) != "wrong\n" {
		t.Errorf("the file has %q", text)
	}

	s.turn.Number, s.turn.Prompt, s.turn.Conversation = 2, "the check failed: wrong is not right", first.Conversation
	second := s.take()
	s.ended(second, mulligan.Finished, "")
	if second.Conversation != first.Conversation || second.Message != "now it is right" {
		t.Errorf("%+v", second)
	}
	asked := s.model.Asked()
	history := asked[len(asked)-1].Conversation()
	for _, want := range []string{"write the answer", "the answer\nis written", "the check failed: wrong is not right"} {
		if !strings.Contains(history, want) {
			t.Errorf("the conversation lacks %q", want)
		}
	}
	each := mulligan.Usage{
		InputTokens: 2 * int64(modeltest.DefaultUsage.Input), CachedTokens: 2 * int64(modeltest.DefaultUsage.Cached),
		OutputTokens: 2 * int64(modeltest.DefaultUsage.Output), Turns: 2,
	}
	if first.Usage != each || second.Usage != each {
		t.Errorf("usage %+v and %+v, want %+v twice", first.Usage, second.Usage, each)
	}

	s.turn.Number, s.turn.Prompt, s.turn.Conversation = 3, "somebody else", ""
	third := s.take()
	s.ended(third, mulligan.Finished, "")
	asked = s.model.Asked()
	if third.Conversation == first.Conversation || strings.Contains(asked[len(asked)-1].Conversation(), "write the answer") {
		t.Errorf("a fresh turn went on with the old conversation")
	}
	if after, _ := os.ReadFile(filepath.Join(home, "config.toml")); string(after) != string(before) {
		t.Errorf("the user's config was written:\n%s", after)
	}
}

func TestRealEndings(t *testing.T) {
	reset := time.Now().Add(time.Hour).Truncate(time.Second)
	fault := func(f modeltest.Fault) modeltest.Turn { return modeltest.Fail(f).Always() }
	used := fault(modeltest.Fault{Status: 429, Body: fmt.Sprintf(`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"pro","resets_at":%d}}`, reset.Unix())})
	used.Header = map[string]string{
		"x-codex-primary-used-percent": "100", "x-codex-primary-window-minutes": "300", "x-codex-primary-reset-at": fmt.Sprint(reset.Unix()),
	}
	cut := modeltest.Say("half a sentence").Always()
	cut.Cut = true
	for _, tt := range []struct {
		name   string
		turn   modeltest.Turn
		ending mulligan.Ending
		cause  mulligan.Cause
		until  time.Time
	}{
		{"429", fault(modeltest.Fault{Status: 429, RetryAfter: 1}), mulligan.RateLimited, "", time.Time{}},
		{"usage limit", used, mulligan.RateLimited, "", reset},
		{"quota", fault(modeltest.Fault{Status: 429, Body: `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`}), mulligan.Unavailable, mulligan.Billing, time.Time{}},
		{"401", fault(modeltest.Fault{Status: 401}), mulligan.Unavailable, mulligan.Auth, time.Time{}},
		{"402", fault(modeltest.Fault{Status: 402}), mulligan.Unavailable, mulligan.Billing, time.Time{}},
		{"500", fault(modeltest.Fault{Status: 500}), mulligan.Unavailable, mulligan.Network, time.Time{}},
		{"529", fault(modeltest.Fault{Status: 529}), mulligan.Unavailable, mulligan.Network, time.Time{}},
		{"400", fault(modeltest.Fault{Status: 400}), mulligan.Crashed, "", time.Time{}},
		{"stream cut", cut, mulligan.Unavailable, mulligan.Network, time.Time{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{tt.turn}})
			r := s.take()
			s.ended(r, tt.ending, tt.cause)
			if r.Reason == "" || strings.Contains(r.Reason, "\n") {
				t.Errorf("reason = %q, want one line", r.Reason)
			}
			if !r.Until.Equal(tt.until) {
				t.Errorf("until %v, want %v", r.Until, tt.until)
			}
		})
	}
}

// Without a network Codex tries for ever, and says so often enough never to be idle.
func TestRealRefusedConnection(t *testing.T) {
	s := newStage(t, modeltest.Script{})
	s.model.Close()
	now := time.Now()
	s.agent.now = func() time.Time {
		now = now.Add(networkPatience)
		return now
	}
	r := s.take()
	s.ended(r, mulligan.Unavailable, mulligan.Network)
}

func TestRealHang(t *testing.T) {
	hang := modeltest.Say("the beginning of a long answer that never ends")
	hang.Hang = true
	s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{hang}}, func(spec *mulligan.AgentSpec, _ *agent.Deps, _ *Options) {
		spec.IdleTimeout = 4 * time.Second
	})
	r := s.take()
	s.ended(r, mulligan.TimedOut, "")
	if r.Reason != "silent for 4s" {
		t.Errorf("reason = %q", r.Reason)
	}
}

// An agent that is ended from outside has not finished, whatever code it gave.
func TestRealSignal(t *testing.T) {
	for _, signal := range []string{"INT", "TERM", "KILL"} {
		s := newStage(t, modeltest.Script{
			Turns: []modeltest.Turn{exec("kill -" + signal + " $PPID; sleep 60")},
			Else:  &modeltest.Answer{Text: "still here"},
		})
		if r := s.take(); r.Ending != mulligan.Crashed {
			t.Errorf("SIG%s: %s (%s)", signal, r.Ending, r.Reason)
		}
	}
}

func TestRealPermissions(t *testing.T) {
	escalated := modeltest.Use(modeltest.Call{Name: "exec_command", Input: map[string]any{
		"cmd": "echo made > made; echo done it", "sandbox_permissions": "require_escalated", "justification": "it is needed",
	}})
	person := func(answer string) func(context.Context, mulligan.Turn, string, any) (json.RawMessage, error) {
		return func(_ context.Context, _ mulligan.Turn, tool string, args any) (json.RawMessage, error) {
			what := args.(task.PermitArgs).What
			if tool != task.ToolPermit || !strings.Contains(what, "it is needed") && !strings.Contains(what, "/added.txt\n+x") {
				return nil, errors.New("not what was expected")
			}
			return json.Marshal(task.Answer{Answer: answer, By: mulligan.ByPerson})
		}
	}
	for _, tt := range []struct {
		name   string
		turn   modeltest.Turn
		file   string
		tools  func(context.Context, mulligan.Turn, string, any) (json.RawMessage, error)
		made   bool
		denied string
	}{
		{"a command that nobody allows", escalated, "made", nil, false, "run "},
		{"a command that a person denies", escalated, "made", person("deny"), false, "run "},
		{"a command that a person allows", escalated, "made", person("allow"), true, ""},
		{"an edit that nobody allows", patch("added.txt", "x"), "added.txt", nil, false, "change "},
		{"an edit that a person allows", patch("added.txt", "x"), "added.txt", person("allow"), true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{tt.turn, modeltest.Say("so be it")}}, func(spec *mulligan.AgentSpec, deps *agent.Deps, _ *Options) {
				spec.Permissions, deps.Tools = "ask", tt.tools
			})
			r := s.take()
			s.ended(r, mulligan.Finished, "")
			_, err := os.Stat(filepath.Join(s.turn.Dir, tt.file))
			if made := err == nil; made != tt.made {
				t.Errorf("made is %v; log:\n%s", made, s.log.String())
			}
			if tt.denied == "" && len(r.Denied) > 0 || tt.denied != "" && (len(r.Denied) != 1 || !strings.HasPrefix(r.Denied[0], tt.denied)) {
				t.Errorf("denied: %q", r.Denied)
			}
			if allow := "agents: {" + s.agent.spec.Name + ": {permissions: edits}}"; tt.denied != "" && (r.Denials[0].Allow == allow) != (tt.denied == "change ") {
				t.Errorf("to allow it: %q", r.Denials[0].Allow)
			}
		})
	}
}

// The session's tools are there under every permission, and reached by what only the turn has.
func TestRealTools(t *testing.T) {
	for _, permissions := range []string{"full", "edits", "ask"} {
		s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{
			modeltest.Use(modeltest.Call{Name: "task_list", Namespace: "mcp__mulligan"}),
			modeltest.Say("listed").At("the tasks of token-1"),
		}}, func(spec *mulligan.AgentSpec, _ *agent.Deps, _ *Options) { spec.Permissions = permissions })
		s.turn.Env = []string{"MULLIGAN=" + os.Args[0], "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=token-1"}
		r := s.take()
		s.ended(r, mulligan.Finished, "")
		if r.Message != "listed" || !strings.Contains(s.log.String(), ">: mulligan.task_list\n") {
			t.Errorf("%s: %q; log:\n%s", permissions, r.Message, s.log.String())
		}
	}
}

// Tools that take their time to be there are waited for; without them no turn is taken, and the conversation
// is left as it was.
func TestRealToolsAreSlow(t *testing.T) {
	s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{
		modeltest.Use(modeltest.Call{Name: "task_list", Namespace: "mcp__mulligan"}),
		modeltest.Say("listed").At("the tasks of token-1"),
	}})
	slow := filepath.Join(t.TempDir(), "mulligan")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 5\nexec '"+os.Args[0]+"' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.turn.Env = []string{"MULLIGAN=" + slow, "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=token-1"}
	first := s.take()
	s.ended(first, mulligan.Finished, "")
	if first.Message != "listed" {
		t.Errorf("%q; log:\n%s", first.Message, s.log.String())
	}
	asked := len(s.model.Asked())
	s.turn.Env[0], s.turn.Number, s.turn.Conversation = "MULLIGAN=/not/there", 2, first.Conversation
	second := s.take()
	s.ended(second, mulligan.Crashed, "")
	if len(s.model.Asked()) != asked || !strings.Contains(second.Reason, "MCP servers failed to initialize: mulligan") || second.Conversation != first.Conversation {
		t.Errorf("%+v; log:\n%s", second, s.log.String())
	}
}

// Hooks inside the agent: what the handler blocks does not happen, and the model reads why.
func TestRealHooks(t *testing.T) {
	s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{
		exec("echo made > made"),
		modeltest.Say("kept from it").At("not in this house"),
	}}, func(_ *mulligan.AgentSpec, _ *agent.Deps, opt *Options) {
		opt.Hooks = []agent.Hook{{Event: "PreToolUse", Matcher: "*", Timeout: outerLimit}, {Event: "PostToolUse", Matcher: "Nothing"}}
	})
	s.turn.Env = []string{"MULLIGAN=" + os.Args[0], "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=token-1"}
	r := s.take()
	s.ended(r, mulligan.Finished, "")
	if _, err := os.Stat(filepath.Join(s.turn.Dir, "made")); err == nil || r.Message != "kept from it" {
		t.Errorf("%q; log:\n%s", r.Message, s.log.String())
	}
}

func TestRealModelAndTwoAtOnce(t *testing.T) {
	var both sync.WaitGroup
	for i := range 2 {
		s := newStage(t, modeltest.Script{Turns: []modeltest.Turn{modeltest.Say(fmt.Sprint("I am ", i))}})
		s.turn.Model = fmt.Sprint("gpt-", i)
		both.Go(func() {
			r, err := s.agent.Turn(t.Context(), s.turn)
			if err != nil || r.Message != fmt.Sprint("I am ", i) {
				t.Errorf("%d: %+v, %v", i, r, err)
			}
			if asked := s.model.Asked(); len(asked) != 1 || asked[0].Model != s.turn.Model || asked[0].Foreign {
				t.Errorf("%d: asked %+v", i, asked)
			}
		})
	}
	both.Wait()
}

// A conversation that is not there is no reason to begin another.
func TestRealLostConversation(t *testing.T) {
	s := newStage(t, modeltest.Script{Else: &modeltest.Answer{Text: "hello"}})
	s.turn.Conversation = "01a1e0cc-58ed-78c2-99af-85cb8d101021"
	r := s.take()
	s.ended(r, mulligan.Crashed, "")
	if !strings.Contains(r.Reason, "open the conversation") || len(s.model.Asked()) > 0 || r.Conversation != "" {
		t.Errorf("%+v", r)
	}
}

// playHook plays `mulligan hook EVENT`, which blocks.
func playHook() {
	if slices.Contains(os.Environ(), "MULLIGAN_TOKEN=token-1") {
		fmt.Fprintln(os.Stderr, "not in this house")
		os.Exit(2)
	}
	os.Exit(3)
}
