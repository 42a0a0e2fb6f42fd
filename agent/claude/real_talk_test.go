package claude

import (
	"context"
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
	"mulligan/test/modeltest"
)

// TestRealFeedback: a wrong attempt, the evidence in the same conversation, a right one; then a
// fresh conversation, which knows of neither. What each cost is its own.
func TestRealFeedback(t *testing.T) {
	s := onStage(t, mulligan.AgentSpec{Model: "claude-sonnet-4-5"}, Options{},
		modeltest.Use(bash("echo wrong > answer; echo first-is-made")).At("write the answer"),
		modeltest.Say("done, I think").At("first-is-made"),
		modeltest.Use(bash("echo right > answer; echo second-is-made")).At("the check failed"),
		modeltest.Say("now it is right").At("second-is-made"),
		modeltest.Say("who are you?").At("begin anew"),
	)
	first := s.take("write the answer", "")
	s.ended(first, mulligan.Finished, "")
	if first.Message != "done, I think" || s.file("answer") != "wrong\n" {
		t.Errorf("said %q, wrote %q", first.Message, s.file("answer"))
	}
	second := s.take("the check failed: answer is wrong", first.Conversation)
	s.ended(second, mulligan.Finished, "")
	if second.Message != "now it is right" || s.file("answer") != "right\n" || second.Conversation != first.Conversation {
		t.Errorf("said %q, wrote %q, in %s after %s", second.Message, s.file("answer"), second.Conversation, first.Conversation)
	}
	third := s.take("begin anew", "")
	s.ended(third, mulligan.Finished, "")
	if third.Conversation == first.Conversation {
		t.Error("the fresh conversation is the old one")
	}
	asked := s.model.Asked()
	if len(asked) != 5 {
		t.Fatalf("%d requests", len(asked))
	}
	if history := asked[2].Conversation(); !strings.Contains(history, "write the answer") || !strings.Contains(history, "done, I think") {
		t.Errorf("the feedback came without what was before it: %.2000s", history)
	}
	if history := asked[4].Conversation(); strings.Contains(history, "write the answer") {
		t.Error("the fresh conversation knows of the old one")
	}
	one, want := modeltest.DefaultUsage, first.Usage
	if want.InputTokens != int64(2*one.Input) || want.CachedTokens != int64(2*one.Cached) || want.OutputTokens != int64(2*one.Output) || want.Turns != 2 || want.CostUSD <= 0 || want.Estimated {
		t.Errorf("the first turn used %+v", want)
	}
	if diff := second.Usage.CostUSD - want.CostUSD; diff > 1e-9 || diff < -1e-9 || second.Usage.InputTokens != want.InputTokens || second.Usage.OutputTokens != want.OutputTokens {
		t.Errorf("the second turn used %+v, the same as the first, which used %+v", second.Usage, want)
	}
	for _, r := range s.model.Log() {
		if r.Foreign {
			t.Errorf("%s %s carried a key that nobody gave it", r.Method, r.Path)
		}
	}
	if log := s.log.String(); !strings.Contains(log, "> Bash echo wrong > answer; echo first-is-made\n| first-is-made\ndone, I think\n") {
		t.Errorf("the log is not for people:\n%s", log)
	}
}

// TestRealFaults: what the suite has not of the faults of a model's side, each told by what the
// program says of it.
func TestRealFaults(t *testing.T) {
	always := func(turn modeltest.Turn) []modeltest.Turn { return []modeltest.Turn{turn.Always()} }
	for _, tt := range []struct {
		name  string
		turns []modeltest.Turn
		want  mulligan.Ending
		cause mulligan.Cause
	}{
		{"rate limited", always(modeltest.Fail(modeltest.Fault{Status: 429, RetryAfter: 2})), mulligan.RateLimited, ""},
		{"broken", always(modeltest.Fail(modeltest.Fault{Status: 500})), mulligan.Unavailable, mulligan.Network},
		{"no credit", always(modeltest.Fail(modeltest.Fault{Status: 400, Type: "invalid_request_error", Message: "Your credit balance is too low to access the Anthropic API."})), mulligan.Unavailable, mulligan.Billing},
		{"not understood", always(modeltest.Fail(modeltest.Fault{Status: 400})), mulligan.Crashed, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := onStage(t, mulligan.AgentSpec{}, Options{}, tt.turns...)
			r := s.take("do it", "")
			s.ended(r, tt.want, tt.cause)
			if r.Reason == "" || strings.Contains(r.Reason, "\n") {
				t.Errorf("reason %q", r.Reason)
			}
			if tt.name == "rate limited" {
				if left := time.Until(r.Until); r.Until.IsZero() || left > 5*time.Second {
					t.Errorf("until %v", r.Until)
				}
			}
		})
	}
}

// TestRealNobodyThere: the address refuses.
func TestRealNobodyThere(t *testing.T) {
	s := onStage(t, mulligan.AgentSpec{}, Options{})
	s.model.Close()
	s.ended(s.take("do it", ""), mulligan.Unavailable, mulligan.Network)
}

// TestRealInterrupted: the program ends with 0 when it is interrupted, and says nothing of it
// or not much. That is no turn that finished; the conversation can be resumed all the same.
func TestRealInterrupted(t *testing.T) {
	const soon = `sh -c 'sleep 1; kill -INT $0' $PPID >/dev/null 2>&1 &`
	hang := modeltest.Turn{Answer: modeltest.Answer{Text: "a long story", Hang: true}}
	late := modeltest.Turn{Answer: modeltest.Answer{Text: "too late", Delay: outer}}
	for _, tt := range []struct {
		name, hook string
		turn       modeltest.Turn
	}{
		{"in a tool", "true", modeltest.Use(bash("kill -INT $PPID; sh -c 'sleep 30'"))},
		{"in an answer", soon, hang},
		{"before an answer", soon, late},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := onStage(t, mulligan.AgentSpec{}, Options{}, tt.turn.At("do it"), modeltest.Say("here again").At("go on"))
			put(t, s.turn.Dir, ".claude/settings.json", encode(object{"hooks": object{"UserPromptSubmit": []any{
				object{"hooks": []any{object{"type": "command", "command": tt.hook}}},
			}}}))
			r := s.take("do it", "")
			s.ended(r, mulligan.Crashed, "")
			if !strings.HasPrefix(r.Reason, "interrupted") && !strings.HasPrefix(r.Reason, "exit status 0 without a result") {
				t.Errorf("reason %q", r.Reason)
			}
			if tt.hook == soon {
				return // it may have come too soon for a conversation to be there
			}
			put(t, s.turn.Dir, ".claude/settings.json", "{}")
			again := s.take("go on", r.Conversation)
			s.ended(again, mulligan.Finished, "")
			if again.Message != "here again" || again.Conversation != r.Conversation {
				t.Errorf("%q in %s", again.Message, again.Conversation)
			}
		})
	}
}

// TestRealTools: the session's tools are the program's, and allowed whatever else is not. The
// token is not on the command line.
func TestRealTools(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := onStage(t, mulligan.AgentSpec{Permissions: "ask"}, Options{},
		modeltest.Use(modeltest.Call{Name: "mcp__mulligan__task_add", Input: map[string]any{"content": "a task"}}).At("add a task"),
		modeltest.Say("added").At("with the token hush-hush-hush"))
	s.turn.Env = []string{"MULLIGAN=" + self, "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=hush-hush-hush"}
	r := s.take("add a task", "")
	s.ended(r, mulligan.Finished, "")
	if r.Message != "added" || len(r.Denied) > 0 {
		t.Errorf("said %q, denied %q; log:\n%s", r.Message, r.Denied, s.log)
	}
}

// TestRealLimits are the agent's own.
func TestRealLimits(t *testing.T) {
	more := []modeltest.Turn{modeltest.Use(bash("echo more")).Always()}
	s := onStage(t, mulligan.AgentSpec{MaxTurns: 2}, Options{}, more...)
	s.ended(s.take("do it", ""), mulligan.AtLimit, "")

	s = onStage(t, mulligan.AgentSpec{}, Options{}, more...)
	s.turn.BudgetUSD = 0.000001
	s.ended(s.take("do it", ""), mulligan.AtLimit, "")
}

func TestRealPermissions(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, permissions string
		person            string // what one says who is asked; nothing where nobody can be
		allowed, denied   bool
	}{
		{"edits", "edits", "", true, false},
		{"ask nobody", "ask", "", false, true},
		{"ask one who allows", "ask", "allow", true, false},
		{"ask one who denies", "ask", "deny", false, true},
		{"ask one who makes no sense", "ask", "mumble", false, true},
		{"ask one who dies", "ask", "die", false, false}, // a failed tool, to the program
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := onStage(t, mulligan.AgentSpec{Permissions: tt.permissions}, Options{},
				modeltest.Use(modeltest.Call{Name: "Write", Input: map[string]any{"file_path": filepath.Join(dir, "made"), "content": "x"}}), modeltest.Say("tried"))
			s.turn.Dir = dir
			if tt.person != "" {
				s.turn.Env = []string{"MULLIGAN=" + self, "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=" + tt.person}
			}
			r := s.take("write it", "")
			s.ended(r, mulligan.Finished, "")
			if (s.file("made") == "x") != tt.allowed || slices.Contains(r.Denied, "Write") != tt.denied {
				t.Errorf("made %q, denied %q; log:\n%s", s.file("made"), r.Denied, s.log)
			}
			if heard := s.model.Asked()[1].Newest(); tt.person == "deny" && !strings.Contains(heard, "a person said no to Write") {
				t.Errorf("the model heard %q", heard)
			}
			if tools := s.model.Asked()[0].Tools; slices.Contains(tools, "AskUserQuestion") {
				t.Errorf("the model has tools that nobody answers: %q", tools)
			}
		})
	}
}

// TestRealPermitIsNotForModels: the program keeps it for itself; and where it is not served, no turn is taken
// as if nobody had to be asked.
func TestRealPermitIsNotForModels(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := onStage(t, mulligan.AgentSpec{Permissions: "ask"}, Options{},
		modeltest.Use(modeltest.Call{Name: "mcp__mulligan__permit", Input: map[string]any{"tool_name": "Bash", "input": map[string]any{"command": "true"}}}), modeltest.Say("tried"))
	s.turn.Env = []string{"MULLIGAN=" + self, "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=allow"}
	s.ended(s.take("ask for it", ""), mulligan.Finished, "")
	if heard := s.model.Asked()[1].Newest(); strings.Contains(heard, "behavior") {
		t.Errorf("the model could call it: %q", heard)
	}

	s.turn.Env[0] = "MULLIGAN=/not/there"
	s.ended(s.take("ask for it", ""), mulligan.Crashed, "")
}

// TestRealConversationIsGone: one that is not there is an error once, and then begun anew.
func TestRealConversationIsGone(t *testing.T) {
	s := onStage(t, mulligan.AgentSpec{}, Options{})
	r := s.take("go on", newUUID())
	s.ended(r, mulligan.Crashed, "")
	if r.Conversation != "" || r.Reason == "" {
		t.Errorf("conversation %q, reason %q", r.Conversation, r.Reason)
	}
}

// TestRealOwnHooksOff: with the option no hook of the project's runs, and its instructions and
// commands are still there.
func TestRealOwnHooksOff(t *testing.T) {
	for _, off := range []bool{false, true} {
		s := onStage(t, mulligan.AgentSpec{}, Options{OwnHooksOff: off}, modeltest.Say("done").Always())
		put(t, s.turn.Dir, "CLAUDE.md", "the-word-of-the-project")
		put(t, s.turn.Dir, ".claude/commands/mine.md", "the-text-of-the-command")
		hook := func(name string) string {
			return fmt.Sprintf(`%q:[{"hooks":[{"type":"command","command":"echo %s >> ran"}]}]`, name, name)
		}
		put(t, s.turn.Dir, ".claude/settings.json", `{"hooks":{`+hook("Stop")+","+hook("UserPromptSubmit")+","+hook("SessionStart")+","+hook("SessionEnd")+`}}`)
		s.ended(s.take("/mine", ""), mulligan.Finished, "")
		if ran := strings.Fields(s.file("ran")); len(ran) != map[bool]int{false: 4, true: 0}[off] {
			t.Errorf("off: %v, ran %q", off, ran)
		}
		if heard := s.model.Asked()[0]; !strings.Contains(heard.System+heard.Conversation(), "the-word-of-the-project") || !strings.Contains(heard.Conversation(), "the-text-of-the-command") {
			t.Errorf("off: %v, the project's own words are missing", off)
		}
	}
}

// TestRealInsideHooks: our own are asked, beside the project's, and one that cannot start
// denies.
func TestRealInsideHooks(t *testing.T) {
	for name, tt := range map[string]struct {
		program string // what stands for mulligan
		runs    bool
	}{
		"allowed": {"#!/bin/sh\ncat > asked; echo \"$@\" > called\n", true},
		"broken":  {"#!/bin/sh\nexit 1\n", false},
		"missing": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := onStage(t, mulligan.AgentSpec{}, Options{Hooks: []agent.Hook{{Event: "PreToolUse", Matcher: "Bash|Write"}}},
				modeltest.Use(bash("echo made > made")), modeltest.Say("done"))
			path := filepath.Join(s.turn.Dir, "bin", "mulligan")
			if tt.program != "" {
				put(t, s.turn.Dir, "bin/mulligan", tt.program)
				if err := os.Chmod(path, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			s.turn.Env = []string{"MULLIGAN=" + path}
			s.ended(s.take("do it", ""), mulligan.Finished, "")
			if (s.file("made") == "made\n") != tt.runs {
				t.Errorf("made %q", s.file("made"))
			}
			if tt.runs && (!strings.Contains(s.file("asked"), `"hook_event_name":"PreToolUse"`) || s.file("called") != "hook PreToolUse\n") {
				t.Errorf("asked %q, called %q", s.file("asked"), s.file("called"))
			}
		})
	}
}

// TestRealStopped: what falls silent in the middle of an answer is stopped, what it said until
// then is kept, and the conversation can be resumed.
func TestRealStopped(t *testing.T) {
	for _, limit := range []time.Duration{2 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute} {
		s := onStage(t, mulligan.AgentSpec{IdleTimeout: limit}, Options{},
			modeltest.Turn{Answer: modeltest.Answer{Text: strings.Repeat("and then ", 50), Hang: true}}.At("do it"), modeltest.Say("here again").At("go on"))
		r := s.take("do it", "")
		s.ended(r, mulligan.TimedOut, "")
		if !strings.HasPrefix(r.Message, "and then") {
			continue // stopped before it had begun, on a machine that is busy
		}
		s.agent.spec.IdleTimeout = 0
		s.ended(s.take("go on", r.Conversation), mulligan.Finished, "")
		return
	}
	t.Error("what was said before the silence was never heard")
}

// TestRealSideBySide: several at once, in workspaces of their own and one home, none mixed up.
func TestRealSideBySide(t *testing.T) {
	const agents = 2
	var turns []modeltest.Turn
	for n := range agents {
		turns = append(turns,
			modeltest.Use(bash(fmt.Sprintf("echo %d > mine; echo made-by-%d", n, n))).At(fmt.Sprintf("you are number %d", n)),
			modeltest.Say(fmt.Sprintf("I was %d", n)).At(fmt.Sprintf("made-by-%d", n)))
	}
	s := onStage(t, mulligan.AgentSpec{}, Options{}, turns...)
	var all sync.WaitGroup
	for n := range agents {
		turn := s.turn
		turn.Dir, turn.Prompt, turn.Log = t.TempDir(), fmt.Sprintf("you are number %d", n), nil
		all.Go(func() {
			r, err := s.agent.Turn(context.WithoutCancel(t.Context()), turn)
			text, _ := os.ReadFile(filepath.Join(turn.Dir, "mine"))
			if err != nil || r.Message != fmt.Sprintf("I was %d", n) || string(text) != fmt.Sprintf("%d\n", n) {
				t.Errorf("number %d: %+v, %v; wrote %q", n, r, err, text)
			}
		})
	}
	all.Wait()
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRealChecksAreAllowed: with permissions: edits the agent may run its step's checks exactly as they are,
// and what it is denied is reported with its command.
func TestRealChecksAreAllowed(t *testing.T) {
	const check, odd = "./check -x 'a, b' && ./check", "./check; echo *"
	for name, command := range map[string]string{
		"a check":                       check,
		"a check that begins another":   check + "; ./check",
		"a check with an argument":      check + " x",
		"a beginning of a check":        "./check",
		"a check behind another":        "./check; " + check,
		"a check that a rule cannot be": odd,
	} {
		t.Run(name, func(t *testing.T) {
			s := onStage(t, mulligan.AgentSpec{Name: "big", Permissions: "edits"}, Options{}, modeltest.Use(bash(command)), modeltest.Say("tried"))
			s.turn.Allowed = []string{check, odd, "true"}
			if err := os.WriteFile(filepath.Join(s.turn.Dir, "check"), []byte("#!/bin/sh\ntouch made\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			r := s.take("run the checks", "")
			s.ended(r, mulligan.Finished, "")
			_, err := os.Stat(filepath.Join(s.turn.Dir, "made"))
			if ran := err == nil; ran != (name == "a check") || ran == slices.Contains(r.Denied, "Bash") {
				t.Errorf("ran %v, denied %q; log:\n%s", ran, r.Denied, s.log)
			}
			want := mulligan.Denial{Tool: "Bash", Subject: command}
			if name == "a beginning of a check" { // a plain command, which a rule of the program's own can allow
				want.Allow = `agents: {big: {args: [--allowedTools, "Bash(./check)"]}}`
			}
			if name != "a check" && !slices.Equal(r.Denials, []mulligan.Denial{want}) {
				t.Errorf("denied %#v, want %#v", r.Denials, want)
			}
		})
	}
}
