//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestRunTellsHowItEnded(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for _, tc := range []struct {
		script, want string
		ok           bool
	}{
		{"exit 0", "exit status 0", true},
		{"exit 3", "exit status 3", false},
		{"exit 127", "exit status 127", false},
		{"kill -9 $$", "signal: killed", false},
		{"kill -TERM $$", "signal: terminated", false},
		{"kill -PIPE $$; sleep 60", "signal: broken pipe", false}, // not ignored by us for it
	} {
		t.Run(tc.script, func(t *testing.T) {
			exit, err := p.Run(t.Context(), Spec{Argv: shell(tc.script)})
			if err != nil || exit.String() != tc.want || exit.OK() != tc.ok {
				t.Errorf("got %v, ok %v, %v; want %s", exit, exit.OK(), err, tc.want)
			}
			if exit.TimedOut || exit.IdledOut || exit.Cancelled || exit.Left != 0 || exit.Duration <= 0 {
				t.Errorf("got %+v", exit)
			}
		})
	}
}

func TestRunGivesFolderEnvironmentAndBytesAsTheyAre(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	dir := t.TempDir()
	odd := "a\xffb" // no UTF-8
	var out bytes.Buffer
	exit, err := p.Run(t.Context(), Spec{
		Argv: []string{"sh", "-c", `pwd -P; echo "$ODD|$PWD|$1|$HOME|"`, "sh", odd},
		Dir:  dir, Env: []string{"PATH=" + os.Getenv("PATH"), "ODD=first", "ODD=" + odd}, Stdout: &out,
	})
	real, _ := filepath.EvalSymlinks(dir)
	want := real + "\n" + odd + "|" + dir + "|" + odd + "||\n"
	if err != nil || !exit.OK() || out.String() != want {
		t.Errorf("got %q, %v, %v; want %q", out.String(), exit, err, want)
	}
}

func TestRunFindsProgramsRelativeToTheFolder(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("#!/bin/sh\necho mine\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := p.Run(t.Context(), Spec{Argv: []string{"./mine"}, Dir: dir, Stdout: &out}); err != nil || out.String() != "mine\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	out.Reset()
	if _, err := p.Run(t.Context(), Spec{Argv: []string{"mine"}, Env: []string{"PATH=/nowhere:" + dir}, Stdout: &out}); err != nil || out.String() != "mine\n" {
		t.Errorf("by the child's own PATH: got %q, %v", out.String(), err)
	}
	_, err := p.Run(t.Context(), Spec{Argv: []string{"mine"}, Dir: dir, Env: []string{"PATH=.:"}})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a relative PATH was searched: %v", err)
	}
}

func TestRunStartErrors(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct {
		spec Spec
		is   error
		says string
	}{
		"no program":     {Spec{Argv: []string{"no-such-program-at-all"}}, fs.ErrNotExist, `no program "no-such-program-at-all" in PATH`},
		"no file":        {Spec{Argv: []string{"./gone"}, Dir: dir}, fs.ErrNotExist, "gone"},
		"no folder":      {Spec{Argv: shell("true"), Dir: dir + "/gone"}, fs.ErrNotExist, "the folder to run it in"},
		"folder is file": {Spec{Argv: shell("true"), Dir: file("plain", "", 0o644)}, syscall.ENOTDIR, "the folder to run it in"},
		"not executable": {Spec{Argv: []string{file("data", "", 0o644)}}, fs.ErrPermission, "data"},
		"no interpreter": {Spec{Argv: []string{file("lost", "#!/no/such/shell\n", 0o755)}}, fs.ErrNotExist, "interpreter"},
		"no first line":  {Spec{Argv: []string{file("bare", "echo hello\n", 0o755)}}, syscall.ENOEXEC, "first line"},
		"too much":       {Spec{Argv: []string{"true", strings.Repeat("x", 8<<20)}}, syscall.E2BIG, "argument list too long"},
		"nothing":        {Spec{}, nil, "no command given"},
	} {
		t.Run(name, func(t *testing.T) {
			var start *StartError
			exit, err := p.Run(t.Context(), tc.spec)
			if !errors.As(err, &start) || !strings.Contains(err.Error(), tc.says) || exit.OK() {
				t.Fatalf("got %v, %v", exit, err)
			}
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("%v is not %v", err, tc.is)
			}
		})
	}
	if exit, err := p.Run(t.Context(), Spec{Argv: shell("exit 4")}); err != nil || exit.Code != 4 {
		t.Errorf("after all these: %v, %v", exit, err)
	}
}

func TestRunKeepsTheOrderOfOneWriter(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	var both, out, errs bytes.Buffer
	script := "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done"
	if _, err := p.Run(t.Context(), Spec{Argv: shell(script), Stdout: &both, Stderr: &both}); err != nil {
		t.Fatal(err)
	}
	if both.String() != "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n" {
		t.Errorf("got %q", both.String())
	}
	if _, err := p.Run(t.Context(), Spec{Argv: shell(script), Stdout: &out, Stderr: &errs}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "o1\no2\no3\no4\no5\n" || errs.String() != "e1\ne2\ne3\ne4\ne5\n" {
		t.Errorf("got %q and %q", out.String(), errs.String())
	}
}

func TestRunStdin(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	big := strings.Repeat("0123456789", 1<<20)
	t.Run("nothing given ends", func(t *testing.T) {
		within(t, func() { p.Run(t.Context(), Spec{Argv: []string{"cat"}}) })
	})
	t.Run("is closed at its end", func(t *testing.T) {
		var out strings.Builder
		within(t, func() {
			exit, err := p.Run(t.Context(), Spec{Argv: []string{"cat"}, Stdin: strings.NewReader(big), Stdout: &out})
			if err != nil || !exit.OK() || out.String() != big {
				t.Errorf("got %d bytes, %v, %v", out.Len(), exit, err)
			}
		})
	})
	t.Run("never read", func(t *testing.T) {
		within(t, func() {
			exit, err := p.Run(t.Context(), Spec{Argv: []string{"true"}, Stdin: strings.NewReader(big)})
			if err != nil || !exit.OK() {
				t.Errorf("got %v, %v", exit, err)
			}
		})
	})
	t.Run("a reader that never comes is let go", func(t *testing.T) {
		r, w := io.Pipe()
		within(t, func() {
			exit, err := p.Run(t.Context(), Spec{Argv: []string{"true"}, Stdin: r})
			if err != nil || !exit.OK() {
				t.Errorf("got %v, %v", exit, err)
			}
			if _, err := w.Write([]byte("late")); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("writing to a child that is gone: %v", err)
			}
		})
	})
	t.Run("a reader that fails is told", func(t *testing.T) {
		bad := errors.New("bad sector")
		exit, err := p.Run(t.Context(), Spec{Argv: []string{"cat"}, Stdin: io.MultiReader(strings.NewReader("x"), failing{bad})})
		if !errors.Is(err, bad) || exit.Code != 0 {
			t.Errorf("got %v, %v", exit, err)
		}
	})
	t.Run("a file is given as it is", func(t *testing.T) {
		f, err := os.Open(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		exit, err := p.Run(t.Context(), Spec{Argv: shell("test -f /dev/stdin"), Stdin: f})
		if err != nil || !exit.OK() {
			t.Errorf("got %v, %v", exit, err)
		}
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestRunDrainsForAWriterThatFails(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	full := errors.New("disk full")
	within(t, func() {
		var out *OutputError
		exit, err := p.Run(t.Context(), Spec{Argv: self("flood", "8000000"), Stdout: failing{full}})
		if !errors.As(err, &out) || !errors.Is(err, full) || !exit.OK() {
			t.Errorf("got %v, %v", exit, err)
		}
	})
}

func TestRunTimeLimits(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	t.Run("a grandchild that keeps the pipe", func(t *testing.T) {
		file := t.TempDir() + "/pid"
		var out bytes.Buffer
		within(t, func() {
			exit, err := p.Run(t.Context(), Spec{Argv: self("parent", file), Stdout: &out, Timeout: 300 * time.Millisecond})
			if err != nil || !exit.TimedOut || exit.OK() || exit.String() != "timed out after 300ms" {
				t.Errorf("got %v, %v", exit, err)
			}
		})
		if b, err := os.ReadFile(file); err == nil && alive(pidIn(t, file)) {
			t.Errorf("the grandchild %s lives", b)
		}
	})
	t.Run("silent", func(t *testing.T) {
		within(t, func() {
			exit, err := p.Run(t.Context(), Spec{Argv: shell("echo once; sleep 600"), Stdout: io.Discard, Idle: 200 * time.Millisecond})
			if err != nil || !exit.IdledOut || exit.TimedOut || exit.String() != "silent for 200ms" {
				t.Errorf("got %v, %v", exit, err)
			}
		})
	})
	t.Run("not silent", func(t *testing.T) {
		exit, err := p.Run(t.Context(), Spec{Argv: self("drip", "120"), Stderr: io.Discard, Stdout: io.Discard, Idle: 5 * time.Second})
		if err != nil || !exit.OK() {
			t.Errorf("got %v, %v", exit, err)
		}
	})
	t.Run("a slow writer is not the child's silence", func(t *testing.T) {
		exit, err := p.Run(t.Context(), Spec{Argv: shell("echo x; sleep 3"), Stdout: slow(4 * time.Second), Idle: 2 * time.Second})
		if err != nil || !exit.OK() {
			t.Errorf("got %v, %v", exit, err)
		}
	})
}

type slow time.Duration

func (s slow) Write(p []byte) (int, error) { time.Sleep(time.Duration(s)); return len(p), nil }

func TestRunCancelled(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for name, tc := range map[string]struct {
		stop func(cancel context.CancelCauseFunc)
		act  string
		want string
	}{
		"TERM":       {func(c context.CancelCauseFunc) { c(nil) }, "sleep", "terminated"},
		"at once":    {func(c context.CancelCauseFunc) { c(ErrNow) }, "deaf", "killed"},
		"kill all":   {func(c context.CancelCauseFunc) { c(nil); p.KillAll() }, "deaf", "killed"},
		"kill alone": {func(context.CancelCauseFunc) { p.KillAll() }, "deaf", "killed"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			file := t.TempDir() + "/pid"
			go func() { awaitPid(file); tc.stop(cancel) }()
			within(t, func() {
				exit, err := p.Run(ctx, Spec{Argv: self(tc.act, file), Grace: time.Hour})
				if err != nil || exit.Signal != tc.want || exit.Cancelled != (ctx.Err() != nil) || exit.OK() {
					t.Errorf("got %+v, %v", exit, err)
				}
			})
		})
	}
	t.Run("deaf to TERM", func(t *testing.T) {
		within(t, func() {
			exit, err := cancelledOnceUp(t, p, Spec{Argv: self("deaf", "$FILE"), Grace: 100 * time.Millisecond})
			if err != nil || !exit.Cancelled || exit.Signal != "killed" {
				t.Errorf("got %+v, %v", exit, err)
			}
		})
	})
	t.Run("uses its grace", func(t *testing.T) {
		var out bytes.Buffer
		exit, err := cancelledOnceUp(t, p, Spec{
			Argv:   shell("trap 'echo bye; exit 7' TERM; echo $$ >$FILE.new; mv $FILE.new $FILE; while :; do sleep 0.05; done"),
			Stdout: &out, Grace: hang,
		})
		if err != nil || !exit.Cancelled || exit.Code != 7 || out.String() != "bye\n" {
			t.Errorf("got %+v, %q, %v", exit, out.String(), err)
		}
	})
	t.Run("stopped by a signal, it still has its grace", func(t *testing.T) {
		var out bytes.Buffer
		exit, err := cancelledOnceUp(t, p, Spec{
			Argv:   shell("trap 'echo bye; exit 7' TERM; echo $$ >$FILE.new; mv $FILE.new $FILE; kill -STOP $$; while :; do sleep 0.05; done"),
			Stdout: &out, Grace: hang,
		})
		if err != nil || !exit.Cancelled || exit.Code != 7 || out.String() != "bye\n" {
			t.Errorf("got %+v, %q, %v", exit, out.String(), err)
		}
	})
	t.Run("too late", func(t *testing.T) {
		r := run{exit: Exit{Code: -1, Cancelled: true}, began: time.Now()}
		r.handleReport(report{Ended: &ended{}})
		if !r.exit.OK() {
			t.Errorf("what had ended by itself: %+v", r.exit)
		}
	})
	t.Run("before it began", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		file := t.TempDir() + "/made"
		exit, err := p.Run(ctx, Spec{Argv: []string{"touch", file}})
		if _, made := os.Stat(file); err != nil || !exit.Cancelled || made == nil {
			t.Errorf("got %v, %v, made %v", exit, err, made)
		}
	})
}

// cancelledOnceUp runs a child that notes its id in $FILE, and cancels it then.
func cancelledOnceUp(t *testing.T, p *Pool, s Spec) (Exit, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file := t.TempDir() + "/pid"
	for i := range s.Argv {
		s.Argv[i] = strings.ReplaceAll(s.Argv[i], "$FILE", file)
	}
	go func() { awaitPid(file); cancel() }()
	return p.Run(ctx, s)
}

// While a child waits for a person its silence is not its fault, however long; afterwards
// it has the whole limit again.
func TestIdleDoesNotRunWhileAsking(t *testing.T) {
	t.Parallel()
	const idle = 500 * time.Millisecond
	p := newPool(t)
	began := time.Now()
	var asking atomic.Bool
	var asked atomic.Int64 // when it was last seen to ask, after the beginning
	asking.Store(true)
	type end struct {
		exit Exit
		err  error
	}
	done := make(chan end, 1)
	go func() {
		exit, err := p.Run(t.Context(), Spec{
			Argv: shell("exec sleep 1000"), Idle: idle, Grace: time.Millisecond,
			Asking: func() bool {
				if asking.Load() {
					asked.Store(int64(time.Since(began)))
				}
				return asking.Load()
			},
		})
		done <- end{exit, err}
	}()
	select {
	case e := <-done:
		t.Fatalf("ended while it asked: %v, %v", e.exit, e.err)
	case <-time.After(3 * idle):
	}
	eventually(t, "it is looked at while it asks", func() bool { return time.Duration(asked.Load()) > 2*idle })
	asking.Store(false)
	within(t, func() {
		e := <-done
		if e.err != nil || !e.exit.IdledOut {
			t.Errorf("%v, %v; want it to have been silent for too long", e.exit, e.err)
		}
		if took := time.Since(began) - time.Duration(asked.Load()); took < idle {
			t.Errorf("it had %v after the answer", took)
		}
	})
}

// A question that is open for a moment only must be seen in that moment.
func TestQuestionsAreLookedForOften(t *testing.T) {
	t.Parallel()
	for _, idle := range []time.Duration{500 * time.Millisecond, time.Minute, time.Hour} {
		for _, asking := range []bool{true, false} {
			r := run{spec: Spec{Idle: idle, Asking: func() bool { return asking }}, files: &stdio{began: time.Now()}}
			if next := r.nextIdleCheck(); next <= 0 || next > min(idle/10, time.Second) {
				t.Errorf("silent for at most %v, asking %v: looked at again after %v", idle, asking, next)
			}
		}
	}
}
