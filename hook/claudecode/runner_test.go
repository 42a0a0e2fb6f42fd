package claudecode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mulligan"
)

// S3, row by row, with real processes.
func TestWhatAHookDecides(t *testing.T) {
	long := strings.Repeat("x", 200)
	const unread = "its answer cannot be read"
	for _, tt := range []struct {
		name, command string
		event         string // "": Stop
		decision      string
		exit          string
		reason        string
		feedback      string
		context       string
		messages      []string
	}{
		{name: "0", command: "echo fine; echo well >&2", decision: mulligan.Allow, exit: "exit status 0"},
		{
			name: "1", command: "echo out; echo err >&2; exit 1", decision: mulligan.Allow, exit: "exit status 1",
			context: "[Stop hook 1: exit status 1]\nerr\n\nout", messages: []string{"1: exit status 1: err\n\nout"},
		},
		{name: "1 silent", command: "exit 1", decision: mulligan.Allow, exit: "exit status 1", messages: []string{"1 silent: exit status 1"}},
		{name: "3", command: "exit 3", decision: mulligan.Allow, exit: "exit status 3", messages: []string{"3: exit status 3"}},
		{name: "125", command: "exit 125", decision: mulligan.Allow, exit: "exit status 125", messages: []string{"125: exit status 125"}},
		{name: "126", command: "exit 126", decision: mulligan.HookBroken, exit: "exit status 126", reason: "126: exit status 126: a command in it could not be executed"},
		{name: "137", command: "sh -c 'kill -KILL $$' 2>/dev/null; exit 137", decision: mulligan.HookBroken, exit: "exit status 137", reason: "137: exit status 137: it crashed or was killed"},
		{name: "255", command: "exit 255", decision: mulligan.HookBroken, exit: "exit status 255", reason: "255: exit status 255: it crashed or was killed"},
		{
			name: "1 with JSON", command: `echo '{"decision":"block","reason":"no"}'; exit 1`, decision: mulligan.Allow, exit: "exit status 1",
			context:  `[Stop hook 1 with JSON: exit status 1]` + "\n" + `{"decision":"block","reason":"no"}`,
			messages: []string{`1 with JSON: exit status 1: {"decision":"block","reason":"no"}`},
		},
		{
			name: "2", command: "echo 2 failed; echo fix it >&2; exit 2", decision: mulligan.Block, exit: "exit status 2",
			reason: "fix it", feedback: "fix it\n\n2 failed",
		},
		{name: "2 not UTF-8", command: `printf 'not caf\351 at all\n' >&2; exit 2`, decision: mulligan.Block, exit: "exit status 2", reason: "not caf\uFFFD at all", feedback: "not caf\uFFFD at all"},
		{name: "2 stderr", command: "echo fix it >&2; exit 2", decision: mulligan.Block, exit: "exit status 2", reason: "fix it", feedback: "fix it"},
		{
			name: "2 stdout", command: "echo 2 failed; exit 2", decision: mulligan.Block, exit: "exit status 2",
			reason: blockedSilently, feedback: blockedSilently + "\n\n2 failed",
		},
		{name: "2 silent", command: "exit 2", decision: mulligan.Block, exit: "exit status 2", reason: blockedSilently, feedback: blockedSilently},
		{
			name: "2 and JSON that allows", command: `echo '{"decision":"approve","continue":true}'; echo no >&2; exit 2`, decision: mulligan.Block, exit: "exit status 2",
			reason: "no", feedback: "no\n\n" + `{"decision":"approve","continue":true}`,
		},
		{
			name: "2 and JSON that halts", command: `echo '{"continue":false}'; exit 2`, decision: mulligan.Block, exit: "exit status 2",
			reason: blockedSilently, feedback: blockedSilently + "\n\n" + `{"continue":false}`,
		},
		{
			name: "JSON block", command: `echo '{"decision":"block","reason":"3 tests fail"}'`, decision: mulligan.Block, exit: "exit status 0",
			reason: "3 tests fail", feedback: "3 tests fail",
		},
		{
			name: "JSON block after text", command: `echo "--- FAIL: TestAdd"; echo '{"decision":"block",'; echo ' "reason":"3 tests fail"}'`, decision: mulligan.Block,
			exit: "exit status 0", reason: "3 tests fail", feedback: "3 tests fail\n\n--- FAIL: TestAdd",
		},
		{
			name: "JSON block on the line of the text", command: `printf 'result: {"decision":"block","reason":"no"}'`, decision: mulligan.Block,
			exit: "exit status 0", reason: "no", feedback: "no\n\nresult:",
		},
		{name: "JSON deny", command: `echo '{"decision":"deny","reason":"no"}'`, decision: mulligan.Block, exit: "exit status 0", reason: "no", feedback: "no"},
		{name: "JSON allow", command: `echo '{"decision":"allow","reason":"fine"}'`, decision: mulligan.Allow, exit: "exit status 0"},
		{name: "JSON block without a reason", command: `echo '{"decision":"block"}'`, decision: mulligan.Block, exit: "exit status 0", reason: noReason, feedback: noReason},
		{
			name: "the last object counts", command: `echo '{"decision":"block","reason":"a"}'; echo '{"systemMessage":"all well"}'`, decision: mulligan.Allow,
			exit: "exit status 0", context: `{"decision":"block","reason":"a"}`, messages: []string{"the last object counts: all well"},
		},
		{name: "continue: false", command: `echo '{"continue":false,"stopReason":"enough","decision":"block"}'`, decision: mulligan.Halt, exit: "exit status 0", reason: "enough"},
		{
			name: "context", command: `echo before; echo '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"mind the gap"}}'; echo after`,
			decision: mulligan.Allow, exit: "exit status 0", context: "before\nafter\n\nmind the gap",
		},
		{
			name: "decision of a wrong type", command: `echo '{"decision":true}'`, decision: mulligan.HookBroken, exit: unread,
			reason: `decision of a wrong type: ` + unread + `: its decision is true: want "block", or none`,
		},
		{
			name: "another decision", command: `echo '{"decision":"blok"}'`, decision: mulligan.HookBroken, exit: unread,
			reason: `another decision: ` + unread + `: its decision is "blok": want "block", or none`,
		},
		{
			name: "continue of a wrong type", command: `echo '{"continue":"false"}'`, decision: mulligan.HookBroken, exit: unread,
			reason: `continue of a wrong type: ` + unread + `: continue is "false": want true or false`,
		},
		{
			name: "no object where it decides", command: `echo '{"hookSpecificOutput":["deny"]}'`, decision: mulligan.HookBroken, exit: unread,
			reason: `no object where it decides: ` + unread + `: hookSpecificOutput is ["deny"]: want an object`,
		},
		{
			name: "a block beside a wrong type", command: `echo '{"decision":"block","reason":"no","continue":"false"}'`, decision: mulligan.Block, exit: "exit status 0",
			reason: "no", feedback: "no",
		},
		{name: "no object", command: `echo '["block"]'`, decision: mulligan.Allow, exit: "exit status 0"},
		{
			name: "no JSON", command: `echo '{"decision": "block",}'`, decision: mulligan.HookBroken, exit: unread,
			reason: "no JSON: " + unread + ": what it printed begins with { and is not JSON",
		},
		{
			name: "cut", command: `printf '{"decision": "block", "hookSpecificOutput": {"a": 1}, "reason": "3 te'`, decision: mulligan.HookBroken, exit: unread,
			reason: "cut: " + unread + ": what it printed ends in the middle of its JSON",
		},
		{
			name: "cut after text", command: `echo running; printf ' {"decision": "block", "hookSpecificOutput": {"a": 1}'`, decision: mulligan.HookBroken, exit: unread,
			reason: "cut after text: " + unread + ": what it printed ends in the middle of its JSON",
		},
		{name: "a brace that is no answer", command: `echo 'main {'; echo '{ "log": 1'`, decision: mulligan.Allow, exit: "exit status 0"},
		{
			name: "prompt cut", event: mulligan.EventPrompt, command: `echo '{"decision": "block"'`, decision: mulligan.HookBroken, exit: unread,
			reason: "prompt cut: " + unread + ": what it printed ends in the middle of its JSON",
		},
		{
			name: "start with a template", event: mulligan.EventSessionStart, command: `echo '{{ .Name }}'`, decision: mulligan.Allow, exit: "exit status 0",
			context:  "{{ .Name }}",
			messages: []string{"start with a template: what it printed begins with { and is not JSON; what it printed is taken as text"},
		},
		{name: "prompt 0", event: mulligan.EventPrompt, command: "echo the branch is main", decision: mulligan.Allow, exit: "exit status 0", context: "the branch is main"},
		{name: "start 0", event: mulligan.EventSessionStart, command: "echo the branch is main", decision: mulligan.Allow, exit: "exit status 0", context: "the branch is main"},
		{name: "prompt 2", event: mulligan.EventPrompt, command: "echo not that >&2; exit 2", decision: mulligan.Block, exit: "exit status 2", reason: "not that", feedback: "not that"},
		{name: "end 2", event: mulligan.EventSessionEnd, command: "echo too late >&2; exit 2", decision: mulligan.Allow, exit: "exit status 2", messages: []string{"too late"}},
		{
			name: "a signal", command: "echo half; kill -SEGV $$", decision: mulligan.HookBroken, exit: "signal: segmentation fault",
			reason: "a signal: signal: segmentation fault", messages: []string{"a signal: half"},
		},
		{
			name: "a script's own 127", command: "echo " + long + " >&2; exit 127", decision: mulligan.HookBroken, exit: "exit status 127",
			reason: "a script's own 127: exit status 127: a command in it was not found", messages: []string{"a script's own 127: " + long},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			if tt.event != "" {
				b.call.Event = tt.event
			}
			got := b.run(mulligan.AgentHook{Name: tt.name, Type: TypeCommand, Command: tt.command, Timeout: hangGuard})
			want := mulligan.AgentHookReply{
				Decision: tt.decision, Reason: tt.reason, Feedback: tt.feedback, Context: tt.context, Messages: tt.messages, Runs: got.Runs,
			}
			if tt.event == mulligan.EventSessionEnd {
				want.Reason, want.Feedback = "", ""
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if len(got.Runs) != 1 || got.Runs[0].Exit != tt.exit || got.Runs[0].Name != tt.name || got.Runs[0].Duration <= 0 {
				t.Errorf("runs: %+v", got.Runs)
			}
			if well := tt.decision == mulligan.Allow && tt.exit == "exit status 0"; got.Runs[0].OK != well {
				t.Errorf("ok is %v: %+v", !well, got.Runs)
			}
		})
	}
}

// A hook that could not tell is broken: never an allow, never a block.
func TestBrokenHooks(t *testing.T) {
	for _, tt := range []struct {
		name, command, exit, why string
		timeout                  time.Duration
	}{
		{name: "no such program", command: "no-such-program-here --now", exit: "not found", why: "no-such-program-here is not on PATH"},
		{name: "no such script", command: "./gone.sh", exit: "not found", why: "./gone.sh does not exist"},
		{name: "no such script of the project", command: `"$CLAUDE_PROJECT_DIR"/.claude/hooks/gone.sh`, exit: "not found", why: "/.claude/hooks/gone.sh does not exist"},
		{name: "not executable", command: "./plain.sh", exit: "not found", why: "./plain.sh may not be executed"},
		{name: "after another command", command: "cd . && ./gone.sh", exit: "not found", why: "./gone.sh: not found"},
		{name: "an interpreter's script", command: "sh gone.sh", exit: "not found", why: "gone.sh does not exist"},
		{name: "time-out", command: "echo so far; sleep 600", exit: "timed out after 300ms", timeout: 300 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			if err := os.WriteFile(filepath.Join(b.call.Dir, "plain.sh"), []byte("exit 0\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if tt.timeout == 0 {
				tt.timeout = hangGuard
			}
			hook := mulligan.AgentHook{Name: "h", Type: TypeCommand, Command: tt.command, Timeout: tt.timeout}
			got := b.run(hook)
			if got.Decision != mulligan.HookBroken || got.Runs[0].Exit != tt.exit || !strings.Contains(got.Reason, tt.why) {
				t.Errorf("got %+v", got)
			}
			if got.Feedback != "" || got.Context != "" {
				t.Errorf("the agent is told of it: %+v", got)
			}
			hook.FailOpen = true
			got = b.run(hook)
			if got.Decision != mulligan.Allow || got.Runs[0].Exit != tt.exit || len(got.Messages) == 0 || !strings.Contains(got.Messages[0], "allowed") {
				t.Errorf("fails open: %+v", got)
			}
		})
	}
}

// A command that continues without a program that is missing has its own answer.
func TestMissingProgramThatIsProvidedFor(t *testing.T) {
	b := newBench(t)
	if got := b.commands("no-such-program-here 2>/dev/null || true"); got.Decision != mulligan.Allow {
		t.Errorf("got %+v", got)
	}
}

func TestTimeoutWithAGrandchild(t *testing.T) {
	b := newBench(t)
	start := time.Now()
	var got mulligan.AgentHookReply
	pid := 0
	// On a busy machine the first limit may be over before the shell has begun.
	for _, limit := range []time.Duration{time.Second, 5 * time.Second, 25 * time.Second} {
		got = b.run(mulligan.AgentHook{
			Name: "h", Type: TypeCommand, Timeout: limit,
			Command: `trap "" TERM; setsid sh -c 'echo $$ > pid; exec sleep 600' & echo working; sleep 600`,
		})
		if got.Decision != mulligan.HookBroken || time.Since(start) > 2*time.Minute {
			t.Fatalf("after %v: %+v", time.Since(start), got)
		}
		text, _ := os.ReadFile(filepath.Join(b.call.Dir, "pid"))
		if pid, _ = strconv.Atoi(strings.TrimSpace(string(text))); pid > 0 {
			break
		}
	}
	if pid == 0 {
		t.Fatal("the hook never got so far")
	}
	if alive(pid) {
		t.Errorf("the grandchild %d is alive", pid)
	}
	if !strings.Contains(strings.Join(got.Messages, "\n"), "working") {
		t.Errorf("what it had printed is not shown: %q", got.Messages)
	}
}

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// A grandchild that keeps the pipe open neither delays a good hook nor changes its verdict.
func TestGrandchildThatHoldsThePipe(t *testing.T) {
	b := newBench(t)
	start := time.Now()
	got := b.run(mulligan.AgentHook{Name: "h", Type: TypeCommand, Timeout: 5 * time.Minute, Command: `setsid sleep 200 & echo '{"decision":"block","reason":"no"}'`})
	if got.Decision != mulligan.Block || got.Reason != "no" || time.Since(start) > time.Minute {
		t.Errorf("after %v: %+v", time.Since(start), got)
	}
}

func TestEventOnStdin(t *testing.T) {
	common := map[string]any{
		"session_id": "s1", "cwd": "", "transcript_path": "/logs/turn-7.log", "step": "implement",
		"attempt": 2.0, "iteration": 5.0, "hook_retry": 0.0,
	}
	for _, tt := range []struct {
		event string
		retry int
		more  map[string]any
	}{
		{mulligan.EventStop, 0, map[string]any{"stop_hook_active": false, "last_assistant_message": "I am done."}},
		{mulligan.EventStop, 2, map[string]any{"stop_hook_active": true, "last_assistant_message": "I am done.", "hook_retry": 2.0}},
		{mulligan.EventPrompt, 0, map[string]any{"prompt": "Do it <now> & well"}},
		{mulligan.EventSessionStart, 0, map[string]any{"source": "startup"}},
		{mulligan.EventSessionEnd, 0, map[string]any{"reason": "verified"}},
	} {
		t.Run(fmt.Sprint(tt.event, tt.retry), func(t *testing.T) {
			b := newBench(t)
			b.call.Event, b.call.Retry = tt.event, tt.retry
			b.call.Prompt, b.call.Source, b.call.Reason = "Do it <now> & well", "startup", "verified"
			b.commands("cat > event.json")
			text, err := os.ReadFile(filepath.Join(b.call.Dir, "event.json"))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{}
			for _, m := range []map[string]any{common, {"cwd": b.call.Dir, "hook_event_name": tt.event}, tt.more} {
				for k, v := range m {
					want[k] = v
				}
			}
			var got map[string]any
			if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %s (%v)\nwant %v", text, err, want)
			}
			if !bytes.HasSuffix(text, []byte("}\n")) || bytes.Contains(text, []byte(`\u003c`)) {
				t.Errorf("not as scripts expect it: %q", text)
			}
		})
	}
}

func TestInvalidUTF8BecomesValidJSON(t *testing.T) {
	b := newBench(t)
	b.call.Message = "caf\xe9 \xff\x00 \xed\xa0\x80 ok"
	b.commands("cat > event.json")
	text, err := os.ReadFile(filepath.Join(b.call.Dir, "event.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	if message := got["last_assistant_message"].(string); !strings.HasPrefix(message, "caf\uFFFD") || !strings.HasSuffix(message, " ok") {
		t.Errorf("got %q", message)
	}
}

func TestLargeStdin(t *testing.T) {
	t.Run("1 MB that is read", func(t *testing.T) {
		b := newBench(t)
		b.call.Message = strings.Repeat("0123456789", 100_000)
		got := b.commands(`wc -c | tr -d ' ' >&2; exit 2`)
		if got.Reason < "1000000" || len(got.Reason) != 7 {
			t.Errorf("the hook read %q bytes", got.Reason)
		}
	})
	t.Run("10 MB that nobody reads", func(t *testing.T) {
		b := newBench(t)
		b.call.Message = strings.Repeat("0123456789", 1_000_000)
		if got := b.commands("exit 0", "sleep 0.3; echo no >&2; exit 2", "exec <&-; exit 0"); got.Decision != mulligan.Block || got.Reason != "no" || len(got.Messages) > 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestEnvironment(t *testing.T) {
	b := newBench(t)
	got := b.commands(`echo "$CLAUDE_PROJECT_DIR|$MULLIGAN_SESSION|$MULLIGAN_HOOK|$STARTED_WITH|$(pwd)|${CODEMIE_HOOK_INPUT-none}" >&2; exit 2`)
	dir, err := filepath.EvalSymlinks(b.call.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := b.call.Dir + "|s1|Stop|kept|" + dir + "|none"; got.Reason != want {
		t.Errorf("got %q, want %q", got.Reason, want)
	}
}

// Codemie's scripts read the event from a variable, which cannot hold much.
func TestCodemieEnvironment(t *testing.T) {
	b := newBench(t)
	hook := mulligan.AgentHook{
		Name: "h", Type: TypeCommand, Timeout: hangGuard, From: ".codemie/codemie-cli.config.json",
		Command: `printf %s "$CODEMIE_HOOK_INPUT" > input; echo "$CODEMIE_PROJECT_DIR $CODEMIE_SESSION_ID $CODEMIE_HOOK_EVENT" >&2; exit 2`,
	}
	for _, size := range []int{10, 5_000_000} {
		b.call.Message = strings.Repeat("m", size)
		if got := b.run(hook); got.Reason != b.call.Dir+" s1 Stop" {
			t.Errorf("got %+v", got)
		}
		text, err := os.ReadFile(filepath.Join(b.call.Dir, "input"))
		if err != nil || !json.Valid(text) || strings.Contains(string(text), b.call.Message) != (size < maxVariable) {
			t.Errorf("%d: %v: %.200s", size, err, text)
		}
	}
}

func TestMergeInConfigOrder(t *testing.T) {
	for _, tt := range []struct {
		name     string
		commands []string
		decision string
		reason   string
		feedback string
		context  string
		messages []string
	}{
		{name: "one blocks", commands: []string{"exit 0", "echo no >&2; exit 2", `echo '{"additionalContext":"c"}'`}, decision: mulligan.Block, reason: "no", feedback: "no", context: "c"},
		{name: "two block, the slower is the first", commands: []string{"sleep 0.3; echo a >&2; exit 2", "echo b >&2; exit 2"}, decision: mulligan.Block, reason: "a; b", feedback: "a\n\nb"},
		{
			name: "block before broken", commands: []string{"./gone.sh", "echo no >&2; exit 2"}, decision: mulligan.Block, reason: "no", feedback: "no",
			messages: []string{"./gone.sh: not found: ./gone.sh does not exist"},
		},
		{name: "broken before allow", commands: []string{"exit 0", "./gone.sh"}, decision: mulligan.HookBroken, reason: "./gone.sh: not found: ./gone.sh does not exist"},
		{name: "halt before block", commands: []string{"echo no >&2; exit 2", `echo '{"continue":false,"stopReason":"enough"}'`}, decision: mulligan.Halt, reason: "enough", messages: []string{"no"}},
		{name: "lines", commands: []string{"printf 'a\nb\n' >&2; exit 2", "echo c >&2; exit 2"}, decision: mulligan.Block, reason: "a\nb\nc", feedback: "a\nb\n\nc"},
		{name: "none", decision: mulligan.Allow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			got := b.commands(tt.commands...)
			want := mulligan.AgentHookReply{Decision: tt.decision, Reason: tt.reason, Feedback: tt.feedback, Context: tt.context, Messages: tt.messages, Runs: got.Runs}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			for i, run := range got.Runs {
				if run.Name != tt.commands[i] || run.Whole != filepath.Join(b.kept, fmt.Sprint(i)) {
					t.Errorf("run %d: %+v", i, run)
				}
			}
		})
	}
}

// All hooks of a moment are at work at once: each waits for the others.
func TestSideBySide(t *testing.T) {
	b := newBench(t)
	meet := `touch here.$N; i=0; while [ $(ls here.* | wc -l) -lt 4 ]; do i=$((i+1)); [ $i -lt 2000 ] || exit 2; sleep 0.02; done`
	var commands []string
	for n := range 4 {
		commands = append(commands, fmt.Sprintf("N=%d; %s", n, meet))
	}
	if got := b.commands(commands...); got.Decision != mulligan.Allow {
		t.Errorf("they do not run side by side: %+v", got)
	}
}

func TestAtMostEightAtOnce(t *testing.T) {
	b := newBench(t)
	var mu sync.Mutex
	now, most := 0, 0
	b.runner.Judge = func(context.Context, string, mulligan.Turn) (mulligan.Result, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
		return mulligan.Result{Message: `{"ok":true}`}, nil
	}
	var hooks []mulligan.AgentHook
	for i := range 40 {
		hooks = append(hooks, mulligan.AgentHook{Type: TypePrompt, Prompt: fmt.Sprint(i), Timeout: hangGuard})
	}
	if got := b.run(hooks...); got.Decision != mulligan.Allow || len(got.Runs) != 40 || most > 8 {
		t.Errorf("%d at once: %+v", most, got)
	}
}

func TestSteering(t *testing.T) {
	number := func(n int) *int { return &n }
	for _, tt := range []struct {
		commands []string
		want     mulligan.HookSteer
		messages int
	}{
		{[]string{`echo '{"decision":"block","retry":{"max":2}}'`}, mulligan.HookSteer{Max: number(2)}, 0},
		{[]string{`echo '{"decision":"block","retry":{"max":2.0,"after":"1m30s"}}'`}, mulligan.HookSteer{Max: number(2), After: 90 * time.Second}, 0},
		{[]string{`echo '{"decision":"block","retry":{"after":1.5}}'`}, mulligan.HookSteer{After: 1500 * time.Millisecond}, 0},
		{[]string{`echo '{"decision":"block","retry":{"after":"30"}}'`}, mulligan.HookSteer{After: 30 * time.Second}, 0},
		{[]string{`echo '{"decision":"block","retry":"never"}'`}, mulligan.HookSteer{Never: true}, 0},
		{[]string{`echo '{"retry":"never"}'; echo no >&2; exit 2`}, mulligan.HookSteer{Never: true}, 0},
		{[]string{`echo '{"decision":7,"retry":{"max":0}}'; exit 2`}, mulligan.HookSteer{Max: number(0)}, 0},
		{[]string{`echo '{"decision":"block","retry":{"max":-1,"after":"soon"}}'`}, mulligan.HookSteer{}, 2},
		{[]string{`echo '{"decision":"block","retry":{"max":1e300,"after":1e300}}'`}, mulligan.HookSteer{}, 2},
		{[]string{`echo '{"decision":"block","retry":"always"}'`, `echo '{"retry":[]}'; exit 2`}, mulligan.HookSteer{}, 2},
		{[]string{`echo '{"retry":"never"}'`}, mulligan.HookSteer{}, 0},
		{
			[]string{`echo '{"decision":"block","retry":{"max":3,"after":5}}'`, `echo '{"decision":"block","retry":{"max":1,"after":2}}'`, `echo '{"retry":{"max":0}}'`},
			mulligan.HookSteer{Max: number(1), After: 5 * time.Second},
			0,
		},
	} {
		got := newBench(t).commands(tt.commands...)
		if !reflect.DeepEqual(got.Retry, tt.want) || len(got.Messages) != tt.messages {
			t.Errorf("%s: %+v, messages %q", tt.commands, got.Retry, got.Messages)
		}
	}
}

// SessionStart and SessionEnd have matchers; at other events a matcher means nothing.
func TestMatcherPicksHooks(t *testing.T) {
	b := newBench(t)
	hooks := []mulligan.AgentHook{
		{Name: "all", Type: TypeCommand, Command: "echo all", Matcher: "*"},
		{Name: "resume", Type: TypeCommand, Command: "echo resume", Matcher: "resume|clear"},
		{Name: "startup", Type: TypeCommand, Command: "echo startup", Matcher: "startup"},
	}
	b.call.Event, b.call.Source = mulligan.EventSessionStart, "startup"
	got := b.run(hooks...)
	if got.Context != "all\n\nstartup" || len(got.Runs) != 2 || got.Runs[1].Whole != filepath.Join(b.kept, "2") {
		t.Errorf("got %+v", got)
	}
	b.call.Event = mulligan.EventStop
	if got := b.run(hooks...); len(got.Runs) != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestHookThatEditsFiles(t *testing.T) {
	b := newBench(t)
	b.script("fix.sh", "#!/bin/sh\necho fixed > made.txt\nrm fix.sh\nexit 2\n")
	if got := b.commands("./fix.sh"); got.Decision != mulligan.Block {
		t.Errorf("a script that removes itself was there: %+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(b.call.Dir, "made.txt")); err != nil || string(text) != "fixed\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestCancelled(t *testing.T) {
	b := newBench(t)
	b.call.Hooks = []mulligan.AgentHook{{Name: "h", Type: TypeCommand, Command: "touch begun; sleep 600", Timeout: time.Hour}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for range 3000 {
			if _, err := os.Stat(filepath.Join(b.call.Dir, "begun")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	start := time.Now()
	if got := b.runner.Run(ctx, b.call); got.Decision != mulligan.HookBroken || time.Since(start) > time.Minute {
		t.Errorf("after %v: %+v", time.Since(start), got)
	}
}
