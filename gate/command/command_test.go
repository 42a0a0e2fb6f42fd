package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mulligan"
	"mulligan/gate"
	"mulligan/internal/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }

const hangGuard = processtest.HangGuard

// A bench is a workspace with a gate's surroundings.
type bench struct {
	t       *testing.T
	deps    gate.Deps
	work    mulligan.Work
	timeout time.Duration
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{
		t:    t,
		deps: gate.Deps{Pool: processtest.Pool(t), Environ: append(os.Environ(), "STARTED_WITH=kept")},
		work: mulligan.Work{
			Session: "s1", Step: "implement", Attempt: 2, Iteration: 3,
			Dir: t.TempDir(), Output: filepath.Join(t.TempDir(), "output.txt"),
		},
	}
}

func (b *bench) examine(command, expect string) mulligan.Verdict {
	b.t.Helper()
	options, err := json.Marshal(Options{Command: command, Expect: expect})
	if err != nil {
		b.t.Fatal(err)
	}
	g, err := New(mulligan.CheckSpec{Name: "tests", Timeout: b.timeout, Options: options}, b.deps)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(b.t.Context(), hangGuard)
	defer stop()
	v := g.Examine(ctx, b.work)
	if ctx.Err() != nil {
		b.t.Fatalf("the check hung: %+v", v)
	}
	return v
}

func (b *bench) file(name, content string, mode os.FileMode) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.work.Dir, name), []byte(content), mode); err != nil {
		b.t.Fatal(err)
	}
}

// TestVerdicts is P6: what a command's end means under each expectation.
func TestVerdicts(t *testing.T) {
	b := newBench(t)
	b.file("ok.sh", "exit 0", 0o755)
	b.file("plain.sh", "exit 0", 0o644)
	const pass, fail, broken = mulligan.Pass, mulligan.Fail, mulligan.Broken
	for _, tt := range []struct {
		command    string
		mustPass   mulligan.Status // with expect: pass
		mustFail   mulligan.Status // with expect: fail
		exit       string
		unresolved bool
	}{
		{"true", pass, fail, "exit status 0", false},
		{"echo fine", pass, fail, "exit status 0", false},
		{"./ok.sh", pass, fail, "exit status 0", false},
		{"false", fail, pass, "exit status 1", false},
		{"exit 2", fail, pass, "exit status 2", false},
		{"exit 125", fail, pass, "exit status 125", false},
		{"exit 128", fail, pass, "exit status 128", false},
		{"exit 255", fail, pass, "exit status 255", false},
		{"exit 126", fail, broken, "exit status 126", false},
		{"exit 127", fail, broken, "exit status 127", false},
		{"./plain.sh", fail, broken, "exit status 126", false},
		{"./missing.sh", fail, broken, "exit status 127", false},
		{"cd . && no-such-program-here", fail, broken, "exit status 127", false},
		{"kill -9 $$", fail, broken, "signal: killed", false},
		{"sh -c 'kill -9 $$'; exit $?", fail, broken, "exit status 137", false},
		{"exit 192", fail, broken, "exit status 192", false},
		{"exit 193", fail, pass, "exit status 193", false},
		{"no-such-program-here", broken, broken, "", true},
		{"no-such-program-here || true", broken, broken, "", true},
		{"../no-such-program-here", broken, broken, "", true},
		{"/no/such/program", broken, broken, "", true},
		{"if then", fail, broken, "exit status 2", false},
		{"echo 'not closed", fail, broken, "exit status 2", false},
	} {
		t.Run(tt.command, func(t *testing.T) {
			b := *b
			b.t = t
			for expect, want := range map[string]mulligan.Status{"pass": tt.mustPass, "fail": tt.mustFail} {
				v := b.examine(tt.command, expect)
				if v.Status != want {
					t.Errorf("expect %s: %s (%s), want %s", expect, v.Status, v.Summary, want)
				}
				if v.Gate != "tests" || v.Finding.Command != tt.command || v.Finding.Exit != tt.exit {
					t.Errorf("expect %s: gate %q, command %q, exit %q, want exit %q", expect, v.Gate, v.Finding.Command, v.Finding.Exit, tt.exit)
				}
				if v.Summary == "" || strings.Contains(v.Summary, "\n") {
					t.Errorf("expect %s: summary %q, want one line", expect, v.Summary)
				}
				if tt.unresolved != strings.Contains(v.Summary, "neither on PATH nor a path inside the workspace") {
					t.Errorf("expect %s: summary %q", expect, v.Summary)
				}
			}
		})
	}
}

// A grandchild holds the pipe, and the time limit holds all the same. On a busy machine
// the first limit may be over before the shell has begun.
func TestTimeout(t *testing.T) {
	b := newBench(t)
	for expect, want := range map[string]mulligan.Status{"pass": mulligan.Fail, "fail": mulligan.Broken} {
		var v mulligan.Verdict
		for _, b.timeout = range []time.Duration{time.Second, 5 * time.Second, 25 * time.Second} {
			v = b.examine("sleep 600 & echo started; sleep 600", expect)
			if v.Status != want || v.Finding.Exit != "timed out after "+b.timeout.String() {
				t.Errorf("expect %s: %s, %+v; want %s", expect, v.Status, v.Finding, want)
			}
			if v.Finding.Text == "started" {
				break
			}
		}
		if v.Finding.Text != "started" {
			t.Errorf("expect %s: what it printed before is lost: %+v", expect, v.Finding)
		}
	}
}

func TestBackgroundChildDoesNotSpoilAPass(t *testing.T) {
	if v := newBench(t).examine("sleep 600 & exit 0", "pass"); v.Status != mulligan.Pass {
		t.Errorf("%s: %s", v.Status, v.Summary)
	}
}

func TestCancelledIsBroken(t *testing.T) {
	b := newBench(t)
	options, _ := json.Marshal(Options{Command: "echo; sleep 600"})
	g, err := New(mulligan.CheckSpec{Options: options}, b.deps)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	b.work.Live = writerFunc(func(p []byte) (int, error) { stop(); return len(p), nil })
	if v := g.Examine(ctx, b.work); v.Status != mulligan.Broken {
		t.Errorf("%s: %s, want broken", v.Status, v.Summary)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestShellThatCannotStartIsBroken(t *testing.T) {
	b := newBench(t)
	b.work.Dir = filepath.Join(b.work.Dir, "gone")
	for _, expect := range []string{"pass", "fail"} {
		if v := b.examine("exit 1", expect); v.Status != mulligan.Broken {
			t.Errorf("expect %s: %s, want broken", expect, v.Status)
		}
	}
}

// The report on stdout must not be lost because stderr was not empty, nor their order.
func TestBothStreamsInOrder(t *testing.T) {
	b := newBench(t)
	var live bytes.Buffer
	b.work.Live = &live
	v := b.examine(`i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo out $i; echo err $i >&2; done; exit 1`, "pass")
	var want strings.Builder
	for i := range 300 {
		n := strconv.Itoa(i + 1)
		want.WriteString("out " + n + "\nerr " + n + "\n")
	}
	if v.Finding.Text != strings.TrimSpace(want.String()) {
		t.Errorf("text = %.200q", v.Finding.Text)
	}
	whole, err := os.ReadFile(v.Finding.Whole)
	if err != nil || string(whole) != want.String() || live.String() != want.String() {
		t.Errorf("the file has %d bytes (%v) and the watcher got %d, want %d", len(whole), err, live.Len(), want.Len())
	}
	if v.Finding.Bytes != int64(want.Len()) || v.Finding.Whole != b.work.Output {
		t.Errorf("finding: %+v", v.Finding)
	}
}

func TestStdinIsEmptyAndEnvironmentThatOfTheStart(t *testing.T) {
	b := newBench(t)
	v := b.examine(`cat; echo "$STARTED_WITH $MULLIGAN_SESSION $MULLIGAN_STEP $MULLIGAN_ATTEMPT $MULLIGAN_ITERATION $PWD"`, "pass")
	if want := "kept s1 implement 2 3 " + b.work.Dir; v.Status != mulligan.Pass || v.Finding.Text != want {
		t.Errorf("%s: %q, want %q", v.Status, v.Finding.Text, want)
	}
}

func TestUnexpectedPassSaysSo(t *testing.T) {
	b := newBench(t)
	if v := b.examine("echo all good", "fail"); v.Finding.Text != "expected to fail, but passed\nall good" {
		t.Errorf("text = %q", v.Finding.Text)
	}
	if v := b.examine("true", "fail"); v.Finding.Text != "expected to fail, but passed" {
		t.Errorf("text = %q", v.Finding.Text)
	}
	v := b.examine("seq 1 100000", "fail")
	if n := utf8.RuneCountInString(v.Finding.Text); n > 8000 || !strings.HasPrefix(v.Finding.Text, "expected to fail, but passed\n1\n") {
		t.Errorf("%d characters: %.60q", n, v.Finding.Text)
	}
}

func TestSummaryNamesWhatFailed(t *testing.T) {
	b := newBench(t)
	b.file("out.txt", "--- FAIL: TestAdd (0.00s)\n    calc_test.go:9: got 3, want 4\nFAIL\nFAIL\tcalc\t0.003s\n", 0o644)
	v := b.examine("cat out.txt; exit 1", "pass")
	if !strings.Contains(v.Summary, "TestAdd") || v.Finding.Runner != "go test" || len(v.Finding.Failing) != 1 {
		t.Errorf("summary %q, finding %+v", v.Summary, v.Finding)
	}
	v = b.examine("cat out.txt; exit 1", "fail")
	if v.Status != mulligan.Pass || !strings.HasPrefix(v.Summary, "failed as expected: ") {
		t.Errorf("%s: %q", v.Status, v.Summary)
	}
	v = b.examine("echo error: not really; echo no", "pass")
	if v.Status != mulligan.Pass || v.Summary != "exit status 0" || v.Finding.Failing != nil {
		t.Errorf("%s: %q, %+v", v.Status, v.Summary, v.Finding)
	}
}

func TestOutputThatCannotBeKept(t *testing.T) {
	for name, path := range map[string]string{"disk full": "/dev/full", "no folder": filepath.Join(t.TempDir(), "gone", "output.txt")} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if _, err := os.Stat(path); name == "disk full" && err != nil {
				path = filepath.Join(t.TempDir(), "gone", "output.txt")
			}
			b.work.Output = path
			for command, want := range map[string]mulligan.Status{"seq 1 50000": mulligan.Pass, "seq 1 50000; exit 1": mulligan.Fail} {
				v := b.examine(command, "pass")
				if v.Status != want || !strings.Contains(v.Finding.Text, "the output could not be kept whole") || !v.Finding.Cut {
					t.Errorf("%s: %s: %q", command, v.Status, v.Finding.Text)
				}
				if n := utf8.RuneCountInString(v.Finding.Text); n > 8000 {
					t.Errorf("%d characters", n)
				}
			}
			v := b.examine("echo", "fail")
			if !strings.HasPrefix(v.Finding.Text, unexpectedPass) {
				t.Errorf("text = %q", v.Finding.Text)
			}
		})
	}
}

func TestWatcherThatFailsChangesNothing(t *testing.T) {
	b := newBench(t)
	b.work.Live = writerFunc(func([]byte) (int, error) { return 0, os.ErrClosed })
	v := b.examine("echo hello", "pass")
	if v.Status != mulligan.Pass || v.Finding.Text != "hello" {
		t.Errorf("%s: %q", v.Status, v.Finding.Text)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, options := range []string{``, `{}`, `{"command": ""}`, `{"command": "x", "expect": "maybe"}`} {
		if _, err := New(mulligan.CheckSpec{Options: json.RawMessage(options)}, gate.Deps{}); err == nil {
			t.Errorf("options %q were taken", options)
		}
	}
	g, err := New(mulligan.CheckSpec{Options: json.RawMessage(`{"command": "x"}`)}, gate.Deps{})
	if err != nil || g.spec.Timeout != 10*time.Minute || g.opt.Expect != "pass" {
		t.Errorf("defaults: %+v, %v", g, err)
	}
}
