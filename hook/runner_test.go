package hook

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/redact"
)

// TestResults (H3, H8): what the agent gets of a hook that pipes, and that the whole is kept
// either way.
func TestResults(t *testing.T) {
	b := newBench(t)
	for _, tt := range []struct {
		command, exit, text, whole string
	}{
		{"echo hello", "exit status 0", "hello", "hello\n"},
		{"echo out; echo err >&2; echo out", "exit status 0", "out\nerr\nout", "out\nerr\nout\n"},
		{"true", "exit status 0", "", ""},
		{"echo; echo '  '", "exit status 0", "", "\n  \n"},
		{"printf '\\033[31mred\\033[0m'", "exit status 0", "red", "\033[31mred\033[0m"},
		{"echo out; echo err >&2; exit 3", "exit status 3", "[hook failed: exit status 3]\nout\nerr", "out\nerr\n"},
		{"false", "exit status 1", "[hook failed: exit status 1]", ""},
		{"kill -9 $$", "signal: killed", "[hook failed: signal: killed]", ""},
		{"read x && echo \"$x\"", "exit status 1", "[hook failed: exit status 1]", ""},
		{"echo {{error}}", "exit status 0", "it broke", "it broke\n"},
	} {
		for _, pipe := range []bool{true, false} {
			b.call.Hook.Pipe = pipe
			res := b.run(tt.command)
			want := mulligan.HookResult{
				OK: tt.exit == "exit status 0", Exit: tt.exit, Whole: b.call.Output, Bytes: int64(len(tt.whole)),
			}
			if pipe {
				want.Text = tt.text
			}
			if res != want {
				t.Errorf("%s (pipe %v): %+v, want %+v", tt.command, pipe, res, want)
			}
			if whole := b.whole(); whole != tt.whole {
				t.Errorf("%s: the whole is %q, want %q", tt.command, whole, tt.whole)
			}
		}
	}
}

func TestNotFoundIsAFailure(t *testing.T) {
	b := newBench(t)
	res := b.run("no-such-program-anywhere")
	if res.OK || !strings.HasPrefix(res.Text, "[hook failed: exit status 127]\n") || !strings.Contains(res.Text, "no-such-program-anywhere") {
		t.Errorf("%+v", res)
	}
}

func TestTimeoutKeepsWhatWasWritten(t *testing.T) {
	b := newBench(t)
	pid := filepath.Join(t.TempDir(), "pid")
	var res mulligan.HookResult
	n := 0
	// On a busy machine the first limit may be over before the shell has begun.
	for _, limit := range []time.Duration{time.Second, 5 * time.Second, 25 * time.Second} {
		b.call.Hook.Timeout = limit
		res = b.run("echo begun; (setsid sleep 600 & echo $! > " + pid + "; wait)")
		if res.OK || res.Exit != "timed out after "+limit.String() {
			t.Fatalf("%+v", res)
		}
		data, _ := os.ReadFile(pid)
		if n, _ = strconv.Atoi(strings.TrimSpace(string(data))); n > 0 {
			break
		}
	}
	if n == 0 {
		t.Fatal("the hook never began")
	}
	if res.Text != "[hook "+res.Exit+"]\nbegun" || b.whole() != "begun\n" {
		t.Errorf("%+v; the whole is %q", res, b.whole())
	}
	if runtime.GOOS == "linux" && process.Alive(n) {
		t.Error("a process of the hook's that left its group outlived it")
	}
	b.call.Hook.Pipe, b.call.Hook.Timeout = false, time.Second
	if res := b.run("echo begun; sleep 600"); res.Text != "" || res.Exit != "timed out after 1s" {
		t.Errorf("without pipe: %+v", res)
	}
}

// A child in the background that holds the pipe neither delays the hook nor fails it.
func TestBackgroundChildHoldsThePipe(t *testing.T) {
	b := newBench(t)
	b.call.Hook.Timeout = time.Minute
	begun := time.Now()
	res := b.run("sleep 600 & echo done")
	if !res.OK || res.Text != "done" || time.Since(begun) > 50*time.Second {
		t.Errorf("%+v after %v", res, time.Since(begun))
	}
}

func TestCancelledHookReturns(t *testing.T) {
	b := newBench(t)
	b.call.Hook.Script = "echo begun; trap '' TERM; sleep 600; sleep 600"
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan struct{})
	b.call.Live = writerFunc(func(p []byte) (int, error) { close(begun); return len(p), nil })
	done := make(chan mulligan.HookResult, 1)
	go func() { done <- b.runner.Run(ctx, b.call) }()
	<-begun
	cancel()
	select {
	case res := <-done:
		if res.OK || res.Exit != "cancelled" {
			t.Errorf("%+v", res)
		}
	case <-time.After(hangGuard):
		t.Fatal("the hook goes on")
	}
	if res := b.runner.Run(ctx, b.call); res.OK || res.Exit != "cancelled" {
		t.Errorf("cancelled before it began: %+v", res)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestFolder(t *testing.T) {
	b := newBench(t)
	for _, dir := range []string{"sub", "deep/er"} {
		if err := os.MkdirAll(filepath.Join(b.call.Dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(b.call.Dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", "sub", "deep/er"} {
		b.call.Hook.Dir = dir
		want := filepath.Join(b.call.Dir, dir)
		if res := b.run(`pwd; echo "$PWD"`); res.Text != want+"\n"+want {
			t.Errorf("dir %q: %+v", dir, res)
		}
	}
	for dir, says := range map[string]string{"gone": "the folder gone is not there", "file": "file is not a folder", "file/x": "the folder file/x"} {
		b.call.Hook.Dir = dir
		res := b.run("echo ran")
		if res.OK || !strings.HasPrefix(res.Exit, "cannot start: "+says) || res.Text != "[hook failed: "+res.Exit+"]" {
			t.Errorf("dir %q: %+v", dir, res)
		}
		b.call.Hook.Pipe = false
		if res := b.run("echo ran"); res.OK || res.Text != "" {
			t.Errorf("dir %q without pipe: %+v", dir, res)
		}
		b.call.Hook.Pipe = true
	}
}

func TestCannotStart(t *testing.T) {
	b := newBench(t)
	b.call.Error = strings.Repeat("x", 1<<20) // beyond what a system takes
	if runtime.GOOS != "linux" {
		t.Skip("other systems take more")
	}
	res := b.run("echo ran")
	if res.OK || !strings.HasPrefix(res.Exit, "cannot start: ") || res.Text != "[hook failed: "+res.Exit+"]" {
		t.Errorf("%+v", res)
	}
}

func TestEnvironment(t *testing.T) {
	b := newBench(t)
	b.runner.Environ = append(b.runner.Environ, "MULLIGAN_ERROR=stale", "MULLIGAN_TASK_ID=9", "MULLIGAN_SESSION=stale", "SHARED=user")
	b.call.Hook.Env = map[string]string{"SHARED": "hook's", "OWN": "a b", "NUL": "a\x00b", "MULLIGAN_HOOK": "no"}
	b.call.Task = mulligan.TaskItem{ID: 7, Content: "do\nit\x00!"}
	const variables = "HOOK SESSION ITERATION TASK_ID TASK_CONTENT ERROR"
	for moment, want := range map[mulligan.Moment]string{
		mulligan.SessionStart:   "session_start|s1|unset|unset|unset|unset|",
		mulligan.PreIteration:   "pre_iteration|s1|3|unset|unset|unset|",
		mulligan.PostIteration:  "post_iteration|s1|3|unset|unset|unset|",
		mulligan.OnTaskComplete: "on_task_complete|s1|unset|7|do\nit\uFFFD!|unset|",
		mulligan.OnError:        "on_error|s1|3|unset|unset|it broke|",
		mulligan.SessionEnd:     "session_end|s1|unset|unset|unset|unset|",
	} {
		b.call.Moment = moment
		var script strings.Builder
		for name := range strings.FieldsSeq(variables) {
			script.WriteString(`printf '%s|' "${MULLIGAN_` + name + `-unset}"; `)
		}
		b.run(script.String())
		if got := b.whole(); got != want {
			t.Errorf("%s: %q, want %q", moment, got, want)
		}
	}
	b.run(`printf '%s|' "$STARTED_WITH" "$SHARED" "$OWN" "$NUL"`)
	if got := b.whole(); got != "kept|hook's|a b|a\uFFFDb|" {
		t.Errorf("the environment: %q", got)
	}
}

// TestOutputIsFiltered: the file, the text and what is shown live have no secret.
func TestOutputIsFiltered(t *testing.T) {
	b := newBench(t)
	r := redact.New([]string{"MY_TOKEN=planted-value-0123"})
	b.runner.Filter = func(w io.Writer) io.WriteCloser { return r.Writer(w) }
	var live bytes.Buffer
	b.call.Live = &live
	res := b.run(`printf 'it is planted-'; sleep 0.1; printf 'value-0123\n' >&2; printf 'ends with sk-'`)
	const want = "it is [secret:MY_TOKEN]\nends with sk-"
	for name, got := range map[string]string{"file": b.whole(), "live": live.String(), "text": res.Text} {
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	b := newBench(t)
	b.runner.Limit = 1000
	for _, end := range []string{"true", "false"} {
		res := b.run("seq 1 5000; " + end)
		if n := utf8.RuneCountInString(res.Text); n > 1000 || n < 700 || !res.Cut {
			t.Errorf("%s: %d characters, cut %v", end, n, res.Cut)
		}
	}
}

// What cannot be kept is said, and the hook is none the worse for it.
func TestOutputThatCannotBeKept(t *testing.T) {
	b := newBench(t)
	b.call.Output = filepath.Join(t.TempDir(), "gone", "output.txt")
	res := b.run("seq 1 50000")
	if !res.OK || res.Whole != "" || !res.Cut || !strings.Contains(res.Text, "the output could not be kept whole") || utf8.RuneCountInString(res.Text) > 8000 {
		t.Errorf("%+v", res)
	}
	if res := b.run("true"); !res.OK || res.Text != "" {
		t.Errorf("nothing was printed: %+v", res)
	}
}

func BenchmarkTrue(b *testing.B) {
	bench := newBench(b)
	bench.run("true")
	for b.Loop() {
		bench.run("true")
	}
}
