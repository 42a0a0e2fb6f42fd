package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"mulligan"
	"mulligan/test/modeltest"
)

// TestDenied: what the agent may not do is told, to people and in the feedback. Most may write
// files and run no commands. Codex's own sandbox lets commands run; what it asks for is to run
// them outside, and, with ask, to change files: then nothing is left by which it could come right.
func TestDenied(t *testing.T) {
	t.Parallel()
	outside := modeltest.Use(modeltest.Call{Name: "exec_command", Input: object{
		"cmd": "echo right > answer", "sandbox_permissions": "require_escalated", "justification": "it is needed",
	}})
	for name, tt := range map[string]struct {
		permissions string
		wants       modeltest.Turn
		denied      string
		exit        int
	}{
		"claude":     {"edits", cast["claude"].runs("sh -c 'echo right > answer'"), "Bash", 0},
		"gemini":     {"edits", cast["gemini"].runs("echo right > answer"), "execute: ", 0},
		"claude-acp": {"edits", cast["claude-acp"].runs("sh -c 'echo right > answer'"), "execute: ", 0},
		"codex-acp":  {"edits", outside, "execute: ", 0},
		"codex":      {"ask", outside, "run ", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := cast[name]
			s := onStage(t, setup{by: name, permissions: tt.permissions, config: strings.Replace(oneStep, "exit 1", a.later()+"; exit 1", 1)})
			then := a.writes(s.work("answer"), "right\n")
			if tt.exit != 0 {
				then = modeltest.Say("I may not.").Always()
			}
			s.play(tt.wants.At("Make the answer"), modeltest.Say("Done, I think."), then.At("the-answer-is-not-right"), modeltest.Say("Done."))
			r := s.run(tt.exit)
			ended := all[mulligan.TurnEnded](r)
			if len(ended) < 2 || len(ended[0].Result.Denied) != 1 || !strings.HasPrefix(ended[0].Result.Denied[0], tt.denied) || len(ended[1].Result.Denied) > 0 {
				t.Fatalf("turns %+v\n%s", ended, s.logs())
			}
			if feedback := all[mulligan.TurnStarted](r)[1].Prompt; !strings.Contains(feedback, "denied") || !strings.Contains(feedback, tt.denied) {
				t.Errorf("the feedback does not say what was denied:\n%s", feedback)
			}
		})
	}
}

// TestHooksInside: hooks of mulligan.yaml are asked by the program, and one that is broken denies.
func TestHooksInside(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		matcher, command string
		says             string // what the model hears of it; nothing where it may go on
		decision         string
	}{
		"denied":     {"Bash", "echo no-shell-here >&2; exit 2", "no-shell-here", mulligan.Block},
		"by pattern": {"^Ba.h$", "echo no-shell-here >&2; exit 2", "no-shell-here", mulligan.Block},
		"by JSON":    {"Bash", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no-shell-here"}}'`, "no-shell-here", mulligan.Block},
		"broken":     {"Bash", "./not-there", "not allowed", mulligan.HookBroken},
		"allowed":    {"Bash", `grep -q '"tool_name":"Bash"'`, "", mulligan.Allow},
		"not meant":  {"Write", "exit 2", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command, err := json.Marshal(tt.command)
			if err != nil {
				t.Fatal(err)
			}
			s := onStage(t, setup{config: "agent_hooks:\n  PreToolUse:\n    - matcher: '" + tt.matcher + "'\n      hooks: [{type: command, command: " + string(command) + "}]\n" +
				strings.Replace(oneStep, "retry: 2", "retry: 0", 1)})
			s.play(s.runs("echo right > answer; echo it-is-made").At("Make the answer"), modeltest.Say("That was it.").Always())
			want := 0
			if tt.says != "" {
				want = 3
			}
			r := s.run(want)
			if got := s.model.Asked()[1].Newest(); !strings.Contains(got, tt.says) {
				t.Errorf("the model heard %q", got)
			}
			if (s.file("answer") == "right") != (tt.says == "") {
				t.Errorf("the answer is %q", s.file("answer"))
			}
			said := all[mulligan.AgentHookEnded](r)
			switch {
			case tt.decision == "" && len(said) == 0:
			case len(said) == 1 && said[0].Inside && said[0].Event == "PreToolUse" && said[0].Reply.Decision == tt.decision:
			default:
				t.Errorf("hooks %+v", said)
			}
		})
	}
}

// TestOwnHooksRunOnce: those of the project's .claude/settings.json are run by mulligan or by the
// program, and never by both.
func TestOwnHooksRunOnce(t *testing.T) {
	t.Parallel()
	const stop = `"Stop": [{"hooks": [{"type": "command", "command": "echo stop >> ran"}]}]`
	for name, settings := range map[string]string{
		"mulligan's to run":    `{"hooks": {` + stop + `}}`,
		"the program's to run": `{"hooks": {` + stop + `, "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo tool >> ran"}]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, setup{
				config: "agent_hooks_from: [claude]\n" + oneStep,
				files:  map[string]string{".claude/settings.json": settings, ".gitignore": "ran\n"},
			}).play(cast["claude"].right("Make the answer")...)
			r := s.run(0)
			s.played()
			want, ours := "stop", 1
			if strings.Contains(settings, "PreToolUse") {
				want, ours = "tool\nstop", 0
			}
			if s.file("ran") != want || len(all[mulligan.AgentHookEnded](r)) != ours {
				t.Errorf("ran %q, %d of them by mulligan", s.file("ran"), len(all[mulligan.AgentHookEnded](r)))
			}
		})
	}
}
