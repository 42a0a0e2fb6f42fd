package acp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// outerLimit ends a program that does not end itself. These programs are slow to start on a
// machine that is busy.
const outerLimit = 5 * time.Minute

// A stage is a real program with a stand-in for its model.
type stage struct {
	t     *testing.T
	model *modeltest.Server
	agent *Agent
	turn  mulligan.Turn
	log   strings.Builder
}

func newStage(t *testing.T, name string, script modeltest.Script, change ...func(*mulligan.AgentSpec)) *stage {
	t.Helper()
	program := modeltest.Agent(t, name)
	model, err := modeltest.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	exec := append([]string{program}, map[string][]string{"opencode": {"acp"}, "gemini": {"--acp"}}[name]...)
	environ := modeltest.Env(t, model, name)
	// The environment is empty but for what it needs: all of it is handed on.
	spec := mulligan.AgentSpec{Name: name, Timeout: outerLimit, Permissions: "full", InheritEnv: true}
	for _, f := range change {
		f(&spec)
	}
	s := &stage{t: t, model: model}
	s.agent = build(t, spec, agent.Deps{Pool: agenttest.Pool(t), Environ: environ}, exec...)
	s.turn = mulligan.Turn{Session: "s1", Step: "implement", Attempt: 1, Iteration: 1, Number: 1, Dir: t.TempDir(), Log: &s.log}
	return s
}

func (s *stage) take(prompt, conversation string, ending mulligan.Ending) mulligan.Result {
	s.t.Helper()
	s.turn.Prompt, s.turn.Conversation = prompt, conversation
	r, err := s.agent.Turn(s.t.Context(), s.turn)
	if err != nil || r.Ending != ending {
		s.t.Fatalf("%s (%s), %v, want %s; log:\n%s", r.Ending, r.Reason, err, ending, s.log.String())
	}
	return r
}

func (s *stage) made(name string) bool {
	_, err := os.Stat(filepath.Join(s.turn.Dir, name))
	return err == nil
}

// Evidence goes back into the same conversation, in a process of its own, with the session's
// tools at hand; a fresh turn knows nothing of it.
func TestRealConversations(t *testing.T) {
	for name, use := range map[string]struct {
		shell modeltest.Call
		tool  string
	}{
		"opencode": {modeltest.Call{Name: "bash", Input: map[string]any{"command": "echo wrong > answer; echo printed", "description": "answer"}}, "mulligan_task_list"},
		"gemini":   {modeltest.Call{Name: "run_shell_command", Input: map[string]any{"command": "echo wrong > answer; echo printed"}}, "mcp_mulligan_task_list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, name, modeltest.Script{Turns: []modeltest.Turn{
				modeltest.Use(use.shell).At("write the answer"),
				modeltest.Say("the answer\nis written").At("printed"),
				modeltest.Use(modeltest.Call{Name: use.tool}).At("the check failed"),
				modeltest.Say("now it is right").At("the tasks of token-1"),
				modeltest.Say("a stranger").At("somebody else"),
			}})
			s.turn.Env = []string{"MULLIGAN=" + os.Args[0], "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=token-1"}
			first := s.take("write the answer", "", mulligan.Finished)
			if first.Message != "the answer\nis written" || first.Conversation == "" || !s.made("answer") || first.Usage.OutputTokens == 0 {
				t.Errorf("%+v; log:\n%s", first, s.log.String())
			}
			if name == "gemini" {
				// Version 0.61 loses a conversation that is brought back within the minute in which
				// it began: its record is then written over.
				time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)))
			}
			second := s.take("the check failed: wrong is not right", first.Conversation, mulligan.Finished)
			if second.Message != "now it is right" || second.Conversation != first.Conversation {
				t.Errorf("%+v; log:\n%s", second, s.log.String())
			}
			asked := s.model.Asked()
			history := asked[len(asked)-1].Conversation()
			for _, want := range []string{"write the answer", "is written", "the check failed: wrong is not right"} {
				if !strings.Contains(history, want) {
					t.Errorf("the conversation lacks %q", want)
				}
			}
			third := s.take("somebody else", "", mulligan.Finished)
			asked = s.model.Asked()
			if third.Conversation == first.Conversation || strings.Contains(asked[len(asked)-1].Conversation(), "write the answer") {
				t.Error("a fresh turn went on with the old conversation")
			}
			if slices.ContainsFunc(s.model.Log(), func(r modeltest.Request) bool { return r.Foreign }) {
				t.Error("a key that nobody gave it was used")
			}
		})
	}
}

// Tools that take their time to be there are waited for, in a fresh conversation and in a resumed one.
func TestRealToolsAreSlow(t *testing.T) {
	t.Parallel()
	use := modeltest.Use(modeltest.Call{Name: "task_list", Namespace: "mcp__mulligan"})
	s := newStage(t, "codex-acp", modeltest.Script{Turns: []modeltest.Turn{
		use.At("list them").Always(), modeltest.Say("listed").At("the tasks of token-1").Always(),
	}})
	slow := filepath.Join(t.TempDir(), "mulligan")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 5\nexec '"+os.Args[0]+"' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.turn.Env = []string{"MULLIGAN=" + slow, "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=token-1"}
	s.agent.deps.Environ = append(s.agent.deps.Environ, codexMode+"="+codexModes["full"]) // it goes by another name here
	conversation := ""
	for range 2 {
		r := s.take("list them", conversation, mulligan.Finished)
		if r.Message != "listed" {
			t.Errorf("%q; log:\n%s", r.Message, s.log.String())
		}
		conversation = r.Conversation
	}
}

// Gemini CLI asks: what edits are is allowed, what they are not is denied, and the session's
// own tools are always allowed.
func TestRealPermissions(t *testing.T) {
	t.Parallel()
	s := newStage(t, "gemini", modeltest.Script{Turns: []modeltest.Turn{
		modeltest.Use(modeltest.Call{Name: "run_shell_command", Input: map[string]any{"command": "echo x > commanded"}}),
		modeltest.Say("so it is").At("please"),
	}, Else: &modeltest.Answer{Text: "so be it"}}, func(spec *mulligan.AgentSpec) { spec.Permissions = "edits" })
	r := s.take("run it", "", mulligan.Finished)
	if s.made("commanded") || len(r.Denied) != 1 || !strings.HasPrefix(r.Denied[0], "execute: ") || !strings.Contains(s.log.String(), "[denied] execute: ") {
		t.Errorf("denied %q; log:\n%s", r.Denied, s.log.String())
	}

	s = newStage(t, "gemini", modeltest.Script{Turns: []modeltest.Turn{
		modeltest.Use(
			modeltest.Call{Name: "write_file", Input: map[string]any{"file_path": "written", "content": "x"}},
			modeltest.Call{Name: "mcp_mulligan_task_list"},
		),
	}, Else: &modeltest.Answer{Text: "so be it"}}, func(spec *mulligan.AgentSpec) { spec.Permissions = "edits" })
	s.turn.Env = []string{"MULLIGAN=" + os.Args[0], "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=token-1"}
	r = s.take("write it", "", mulligan.Finished)
	asked := s.model.Asked()
	if !s.made("written") || len(r.Denied) > 0 || !strings.Contains(asked[len(asked)-1].Newest(), "the tasks of token-1") {
		t.Errorf("denied %q; log:\n%s", r.Denied, s.log.String())
	}
}

// TestRealChecks: Gemini CLI may run its step's check exactly as it is, in the workspace and nowhere else.
func TestRealChecks(t *testing.T) {
	t.Parallel()
	const check = "echo 'x (y)' >>checked"
	shell := func(command, dir string) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: "run_shell_command", Input: map[string]any{"command": command, "dir_path": dir, "description": "do (it)"}})
	}
	s := newStage(t, "gemini", modeltest.Script{Turns: []modeltest.Turn{
		shell(check, ""), shell(check+"; echo y >longer", ""), shell(check, "sub"),
	}, Else: &modeltest.Answer{Text: "so be it"}}, func(spec *mulligan.AgentSpec) { spec.Permissions = "edits" })
	s.turn.Allowed = []string{check}
	if err := os.Mkdir(filepath.Join(s.turn.Dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := s.take("run it", "", mulligan.Finished)
	if !s.made("checked") || s.made("longer") || s.made("sub/checked") || len(r.Denied) != 2 {
		t.Errorf("denied %q; log:\n%s", r.Denied, s.log.String())
	}
}

func TestRealAuth(t *testing.T) {
	t.Parallel()
	s := newStage(t, "gemini", modeltest.Script{Turns: []modeltest.Turn{modeltest.Fail(modeltest.Fault{Status: 401}).Always()}})
	if r := s.take("work", "", mulligan.Unavailable); r.Cause != mulligan.Auth {
		t.Errorf("%+v", r)
	}
}

// A silent agent is stopped, and nothing of it is left.
func TestRealHang(t *testing.T) {
	t.Parallel()
	hang := modeltest.Say("the beginning of a long answer that never ends")
	hang.Hang = true
	s := newStage(t, "gemini", modeltest.Script{Turns: []modeltest.Turn{hang}}, func(spec *mulligan.AgentSpec) {
		spec.IdleTimeout = 15 * time.Second
	})
	if r := s.take("work", "", mulligan.TimedOut); r.Reason != "silent for 15s" {
		t.Errorf("reason = %q", r.Reason)
	}
	if _, known := process.Lookup(s.agent.deps.Environ, "GEMINI_API_KEY"); !known {
		t.Error("the program had no key: it was silent for another reason")
	}
}
