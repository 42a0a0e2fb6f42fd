//go:build unix

package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// keeperOf runs a child that tells who its parent is.
func keeperOf(t testing.TB, p *Pool, single bool) string {
	t.Helper()
	var out bytes.Buffer
	exit, err := p.Run(t.Context(), Spec{Argv: shell("echo $PPID"), Stdout: &out, Single: single})
	if err != nil || !exit.OK() {
		t.Fatalf("got %v, %v", exit, err)
	}
	return strings.TrimSpace(out.String())
}

func TestPoolUsesKeepersAgain(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	p.spareWait = 0
	keeperOf(t, p, false)
	eventually(t, "the spare beside the first", func() bool { // whichever came back last is the next to be used
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.idle) == 2
	})
	first := keeperOf(t, p, false)
	if first == strconv.Itoa(os.Getpid()) {
		t.Fatal("the child is ours")
	}
	for range 5 {
		if again := keeperOf(t, p, false); again != first {
			t.Errorf("keeper %s, then %s", first, again)
		}
	}
	if single := keeperOf(t, p, true); single != first {
		t.Errorf("keeper %s, then %s", first, single)
	}
	if after := keeperOf(t, p, false); after == first {
		t.Errorf("the keeper of a single child was used again")
	}
}

func TestPoolWarm(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	p.Warm()
	p.Warm()
	var ready int
	eventually(t, "a spare", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.idle) == 1 {
			ready = p.idle[0].cmd.Process.Pid
		}
		return ready != 0
	})
	if got := keeperOf(t, p, false); got != strconv.Itoa(ready) {
		t.Errorf("run by %s, not by the spare %d", got, ready)
	}
}

// Children that follow each other closely share a keeper, and no other is started beside it.
func TestPoolShortChildrenShareAKeeper(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	p.spareWait = time.Hour
	for range 5 {
		keeperOf(t, p, false)
	}
	p.started.mu.Lock()
	defer p.started.mu.Unlock()
	if n := len(p.started.pids); n != 1 {
		t.Errorf("%d keepers", n)
	}
}

// A child that runs on has a spare keeper beside its own, for whatever runs next: in a while, or at once if it is known to last.
func TestPoolSpareBesideALongChild(t *testing.T) {
	for _, lasts := range []bool{false, true} {
		t.Run(fmt.Sprintf("lasts=%t", lasts), func(t *testing.T) {
			t.Parallel()
			p := newPool(t)
			if lasts {
				p.spareWait = time.Hour
			}
			file := t.TempDir() + "/pid"
			var running sync.WaitGroup
			running.Go(func() {
				exit, err := p.Run(t.Context(), Spec{Argv: shell("echo $$ >" + file + "; " + waitFor(file+".go")), Lasts: lasts})
				if err != nil || !exit.OK() {
					t.Errorf("got %v, %v", exit, err)
				}
			})
			pidIn(t, file)
			eventually(t, "a spare", func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return len(p.idle) == 1
			})
			if err := os.WriteFile(file+".go", nil, 0o600); err != nil {
				t.Error(err)
			}
			running.Wait()
		})
	}
}

func TestPoolManyAtOnce(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			var out bytes.Buffer
			exit, err := p.Run(t.Context(), Spec{Argv: shell(fmt.Sprintf("sleep 0.1; echo %d; exit %d", i, i)), Stdout: &out})
			if err != nil || exit.Code != i || out.String() != fmt.Sprintln(i) {
				t.Errorf("%d: got %v, %q, %v", i, exit, out.String(), err)
			}
		})
	}
	wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) > maxIdle || len(p.busy) != 0 {
		t.Errorf("%d idle, %d busy", len(p.idle), len(p.busy))
	}
}

func TestPoolClose(t *testing.T) {
	t.Parallel()
	p := NewPool(PoolOptions{})
	pid, err := strconv.Atoi(keeperOf(t, p, false))
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/pid"
	running := make(chan Exit)
	go func() {
		exit, _ := p.Run(t.Context(), Spec{Argv: shell("echo $$ >" + file + "; " + waitFor(file+".go") + "; exit 7")})
		running <- exit
	}()
	pidIn(t, file)
	p.mu.Lock()
	idle := p.idle
	p.mu.Unlock()
	p.Close()
	for _, k := range idle {
		if alive(k.cmd.Process.Pid) {
			t.Error("an idle keeper lives")
		}
	}
	if err := os.WriteFile(file+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if exit := <-running; exit.Code != 7 {
		t.Errorf("what ran ended otherwise: %v", exit)
	}
	eventually(t, "the last keeper gone", func() bool { return !alive(pid) })
	if _, err := p.Run(t.Context(), Spec{Argv: shell("true")}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestPoolWithoutKeeper(t *testing.T) {
	t.Parallel()
	p := NewPool(PoolOptions{Executable: "/no/such/program"})
	defer p.Close()
	var start *StartError
	if _, err := p.Run(t.Context(), Spec{Argv: shell("true")}); !errors.As(err, &start) || !strings.Contains(err.Error(), "start a keeper") {
		t.Errorf("got %v", err)
	}
	// A program that is no keeper, and says so.
	p = NewPool(PoolOptions{Executable: "/bin/sh", Args: []string{"-c", "echo not me >&2"}})
	defer p.Close()
	within(t, func() {
		if _, err := p.Run(t.Context(), Spec{Argv: shell("true")}); !errors.Is(err, ErrKeeperLost) || !strings.Contains(err.Error(), "not me") {
			t.Errorf("got %v", err)
		}
	})
}

// A keeper run by hand says what it is for.
func TestKeeperByHand(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(os.Args[0], "keeper").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "only mulligan itself") {
		t.Errorf("got %v: %s", err, out)
	}
}

// All that is ever allocated for it is counted, freed or not.
func TestOutputOfAnySizeInBoundedMemory(t *testing.T) {
	const size = 256 << 20
	p := newPool(t)
	kept := NewHeadTail(1<<10, 1<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	exit, err := p.Run(t.Context(), Spec{Argv: self("flood", strconv.Itoa(size)), Stdout: kept})
	runtime.ReadMemStats(&after)
	if err != nil || !exit.OK() || kept.Size() != size {
		t.Errorf("got %v, %d bytes, %v", exit, kept.Size(), err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d KiB of memory", used>>10)
	}
}

func TestDetach(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	log, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	pid, err := Detach([]string{"act", "detached"}, nil, "", log, w)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(r)
	if err != nil || string(said) != fmt.Sprintln("ready", pid) {
		t.Errorf("got %q, %v", said, err)
	}
	eventually(t, "reaped", func() bool { return syscall.Kill(pid, 0) != nil })
	if b, err := os.ReadFile(log.Name()); err != nil || string(b) != "to the log\n" {
		t.Errorf("log: %q, %v", b, err)
	}
}

func TestDetachedHasItsOwnSession(t *testing.T) {
	t.Parallel()
	log, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	file := t.TempDir() + "/pid"
	pid, err := Detach([]string{"act", "sleep", file}, nil, t.TempDir(), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	pidIn(t, file)
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("group %d of %d, %v", group, pid, err)
	}
}

func TestKeepAwake(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	within(t, func() { KeepAwake(p, "testing")() })
	if got := awakeCommand("darwin", "x", 42); strings.Join(got, " ") != "caffeinate -i -w 42" {
		t.Errorf("got %q", got)
	}
	if got := awakeCommand("plan9", "x", 42); got != nil {
		t.Errorf("got %q", got)
	}
}
