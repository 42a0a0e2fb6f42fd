package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/modeltest"
)

// write has Claude Code write the right answer without a shell.
func (s *stage) write() modeltest.Turn {
	return modeltest.Use(modeltest.Call{Name: "Write", Input: map[string]any{"file_path": s.at("answer"), "content": "right\n"}})
}

// TestDenied: what the agent may not do is told, to people and in the feedback.
func TestDenied(t *testing.T) {
	s := onStage(t, setup{permissions: "edits", config: oneStep})
	s.play(bash("sh -c 'echo right > answer'").At("Make the answer"), modeltest.Say("Done, I think."),
		s.write().At("the-answer-is-not-right"), modeltest.Say("Done."))
	r := s.run(0)
	s.played()
	ended := all[mulligan.TurnEnded](r)
	if len(ended) != 2 || strings.Join(ended[0].Result.Denied, " ") != "Bash" || len(ended[1].Result.Denied) > 0 {
		t.Fatalf("turns %+v", ended)
	}
	if feedback := all[mulligan.TurnStarted](r)[1].Prompt; !strings.Contains(feedback, "denied") || !strings.Contains(feedback, "Bash") {
		t.Errorf("the feedback does not say what was denied:\n%s", feedback)
	}
}

// TestHooksInside: hooks of mulligan.yaml are asked by the program, and one that is broken denies.
func TestHooksInside(t *testing.T) {
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
			command, err := json.Marshal(tt.command)
			if err != nil {
				t.Fatal(err)
			}
			s := onStage(t, setup{config: "agent_hooks:\n  PreToolUse:\n    - matcher: '" + tt.matcher + "'\n      hooks: [{type: command, command: " + string(command) + "}]\n" +
				strings.Replace(oneStep, "retry: 2", "retry: 0", 1)})
			s.play(bash("echo right > answer; echo it-is-made").At("Make the answer"), modeltest.Say("That was it.").Always())
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
	const stop = `"Stop": [{"hooks": [{"type": "command", "command": "echo stop >> ../ran"}]}]`
	for name, settings := range map[string]string{
		"mulligan's to run":    `{"hooks": {` + stop + `}}`,
		"the program's to run": `{"hooks": {` + stop + `, "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo tool >> ../ran"}]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := onStage(t, setup{
				config: "agent_hooks_from: [claude]\n" + oneStep,
				files:  map[string]string{".claude/settings.json": settings},
			}).play(right("Make the answer")...)
			r := s.run(0)
			s.played()
			want, ours := "stop", 1
			if strings.Contains(settings, "PreToolUse") {
				want, ours = "tool\nstop", 0
			}
			if s.file("../ran") != want || len(all[mulligan.AgentHookEnded](r)) != ours {
				t.Errorf("ran %q, %d of them by mulligan", s.file("../ran"), len(all[mulligan.AgentHookEnded](r)))
			}
		})
	}
}
