package e2e

import (
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/modeltest"
)

// An other is an agent program besides Claude Code, and how its model works with it.
type other struct {
	setup
	// runs is a shell command by the program's own tool, uses one of the session's tools.
	runs func(command string) modeltest.Turn
	uses func(tool string, input map[string]any) modeltest.Turn
}

var others = map[string]other{
	"codex": {
		setup: setup{program: "codex"},
		runs: func(command string) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "exec_command", Input: map[string]any{"cmd": command}})
		},
		uses: func(tool string, input map[string]any) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: tool, Namespace: "mcp__mulligan", Input: input})
		},
	},
	"opencode": {
		// without it the program would install packages at its start, and wait for them
		setup: setup{program: "opencode", kind: "acp", exec: []string{"acp"}, agent: "    env: [npm_config_offline]\n"},
		runs: func(command string) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "bash", Input: map[string]any{"command": command, "description": "do it"}})
		},
		uses: func(tool string, input map[string]any) modeltest.Turn {
			return modeltest.Use(modeltest.Call{Name: "mulligan_" + tool, Input: input})
		},
	},
}

// each runs a test for every other program.
func each(t *testing.T, config string, test func(*stage, other)) {
	t.Helper()
	for name, o := range others {
		t.Run(name, func(t *testing.T) {
			o.config = config
			test(onStage(t, o.setup), o)
		})
	}
}

// TestOthersFeedback: the evidence in the same conversation, and what was spent.
func TestOthersFeedback(t *testing.T) {
	each(t, oneStep, func(s *stage, o other) {
		s.play(
			o.runs("echo wrong > answer; echo first-is-made").At("Make the answer"), modeltest.Say("Done, I think.").At("first-is-made"),
			o.runs("echo right > answer; echo second-is-made").At("the-answer-is-not-right"), modeltest.Say("Done.").At("second-is-made"))
		r := s.run(0)
		s.played()
		if got := r.attempts(); !slices.Equal(got, []int{1, 2}) {
			s.t.Errorf("attempts %v", got)
		}
		if history := s.heard("the-answer-is-not-right").Conversation(); !strings.Contains(history, "Done, I think.") {
			s.t.Errorf("the conversation began anew: %s", history)
		}
		if u := s.status().Spent; u.Turns != 2 || u.Usage.InputTokens == 0 || u.Usage.OutputTokens == 0 {
			s.t.Errorf("spent %+v", u)
		}
	})
}

// TestCodexStopHook: it sends the agent back in the same conversation, without an attempt.
func TestCodexStopHook(t *testing.T) {
	o := others["codex"]
	o.config = oneStep + "agent_hooks:\n  Stop:\n    - hooks: [{type: command, command: ./stop.sh}]\n"
	o.files = map[string]string{"stop.sh": "#!/bin/sh\ngrep -qx right answer && exit 0\necho the-hook-says-no >&2\nexit 2\n"}
	s := onStage(t, o.setup).play(modeltest.Say("Done, I think.").At("Make the answer"),
		o.runs("echo right > answer; echo it-is-made").At("the-hook-says-no"), modeltest.Say("Done.").At("it-is-made"))
	r := s.run(0)
	s.played()
	if got := r.attempts(); !slices.Equal(got, []int{1}) {
		t.Errorf("attempts %v", got)
	}
	if history := s.heard("the-hook-says-no").Conversation(); !strings.Contains(history, "Done, I think.") {
		t.Errorf("the conversation began anew: %s", history)
	}
}

// TestOthersTools: the session's tools are theirs, too, and a loop ends by a claim that holds.
func TestOthersTools(t *testing.T) {
	each(t, "loop: {iterations: 2, check: grep -x right answer}\n", func(s *stage, o other) {
		s.play(
			o.uses("task_add", map[string]any{"content": "write the answer"}).At("Make the answer"),
			o.runs("echo right > answer; echo it-is-made"),
			o.uses("task_update", map[string]any{"id": 1, "status": "completed"}).At("it-is-made"),
			o.uses("session_complete", map[string]any{"text": "all is done"}),
			modeltest.Say("Complete."))
		r := s.loop(0)
		s.played()
		if out := r.outcome(); out.Ended != mulligan.Verified || out.Iterations != 1 || out.Tasks.All != 1 || out.Tasks.Open != 0 {
			s.t.Errorf("outcome %+v", out)
		}
	})
}

// TestOthersNoKey ends the session at once. (Of opencode only words tell what it was.)
func TestOthersNoKey(t *testing.T) {
	for name, other := range map[string]setup{
		"codex":  others["codex"].setup,
		"gemini": {program: "gemini", kind: "acp", exec: []string{"--acp"}},
	} {
		t.Run(name, func(t *testing.T) {
			other.config = oneStep
			s := onStage(t, other).play(modeltest.Fail(modeltest.Fault{Status: 401}).Always())
			ended := all[mulligan.TurnEnded](s.run(7))
			if len(ended) != 1 || ended[0].Result.Ending != mulligan.Unavailable || ended[0].Result.Cause != mulligan.Auth {
				t.Errorf("turns %+v", ended)
			}
		})
	}
}

// TestCodexNoWait: a rate limit that says nothing of its end is told as one all the same.
func TestCodexNoWait(t *testing.T) {
	o := others["codex"]
	o.config = oneStep
	s := onStage(t, o.setup).play(modeltest.Fail(modeltest.Fault{Status: 429, RetryAfter: 1}).Always())
	if out := s.run(7, "--no-wait").outcome(); !strings.Contains(out.Reason, "rate limited") {
		t.Errorf("outcome %+v", out)
	}
}
