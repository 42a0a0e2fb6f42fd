package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDescendantsAreEndedWithTheChild(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for name, argv := range map[string]func(file string) []string{
		"of another session":   func(f string) []string { return self("daemon", f) },
		"twice daemonised":     func(f string) []string { return self("daemons", f) },
		"deaf to TERM":         func(f string) []string { return self("daemon", f, "deaf") },
		"a shell's background": func(f string) []string { return shell(os.Args[0] + " act sleep " + f + " & " + waitFor(f)) },
		"stopped in its tracks": func(f string) []string {
			return shell(os.Args[0] + " act sleep " + f + " & " + waitFor(f) + "; kill -STOP $!")
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := t.TempDir() + "/pid"
			within(t, func() {
				// The limits are the child's own: what it leaves behind neither uses them up
				// nor makes a good exit a bad one (12.1).
				exit, err := p.Run(t.Context(), Spec{Argv: argv(file), Stdout: io.Discard, Timeout: hang})
				if err != nil || !exit.OK() || exit.Left != 1 || exit.Stuck != 0 {
					t.Errorf("got %+v, %v", exit, err)
				}
			})
			if pid := pidIn(t, file); alive(pid) {
				t.Errorf("%d lives", pid)
			}
		})
	}
}

// A limit or a stop that comes while the left-overs are ended is not the child's, who has
// ended well already.
func TestBackgroundDoesNotSpoilAGoodExit(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		child := awaitPid(dir + "/child")
		await(func() bool { return syscall.Kill(child, 0) != nil })
		cancel()
	}()
	script := fmt.Sprintf("echo $$ >%[2]s/new; mv %[2]s/new %[2]s/child; exec %[1]s act daemon %[2]s/left deaf", os.Args[0], dir)
	exit, err := p.Run(ctx, Spec{Argv: shell(script), Stdout: io.Discard})
	if err != nil || !exit.OK() || exit.Cancelled || exit.Left != 1 {
		t.Errorf("got %+v, %v", exit, err)
	}
}

func TestForksFasterThanWeLook(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	within(t, func() {
		exit, err := p.Run(t.Context(), Spec{
			Argv:  shell("f() { while :; do (sleep 0.01; sleep 60) & sleep 0.002; done; }; trap '' TERM; f & f"),
			Grace: 50 * time.Millisecond, Timeout: 300 * time.Millisecond,
		})
		if err != nil || !exit.TimedOut || exit.Stuck != 0 {
			t.Errorf("got %+v, %v", exit, err)
		}
	})
}

func TestAPipeHeldFromOutside(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	dir, stop := t.TempDir(), make(chan struct{})
	fifo := dir + "/fifo"
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	// A process that is no descendant opens the child's standard output and keeps it. The child
	// stays until that is done.
	held := make(chan *os.File, 1)
	go func() {
		defer close(stop)
		defer os.WriteFile(dir+"/tried", nil, 0o600)
		path, _ := os.ReadFile(fifo)
		f, err := os.OpenFile(strings.TrimSpace(string(path)), os.O_WRONLY, 0)
		if err == nil {
			held <- f
		}
	}()
	var out bytes.Buffer
	within(t, func() {
		exit, err := p.Run(t.Context(), Spec{
			Argv: shell("echo said; echo /proc/$$/fd/1 >" + fifo + "; " + waitFor(dir+"/tried")), Stdout: &out,
		})
		if err != nil || !exit.OK() || out.String() != "said\n" {
			t.Errorf("got %+v, %q, %v", exit, out.String(), err)
		}
	})
	<-stop
	select {
	case f := <-held:
		f.Close()
	default:
		t.Fatal("nobody held the pipe")
	}
}

func TestChildGetsNoFilesOfOurs(t *testing.T) {
	t.Parallel()
	f, err := os.Create(t.TempDir() + "/lock")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewPool(PoolOptions{Inherit: []*os.File{f}})
	before, err := exec.Command(os.Args[0], "act", "fds").Output()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := p.Run(t.Context(), Spec{Argv: self("fds"), Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for file := range strings.Lines(out.String()) {
		if !strings.Contains(string(before), file) {
			t.Errorf("it has %q beyond %q", file, before)
		}
	}
}

func TestChildGetsSignalsAsTheyWere(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	var out bytes.Buffer
	exit, err := p.Run(t.Context(), Spec{Argv: shell("grep -E 'Sig(Ign|Blk)' /proc/self/status"), Stdout: &out})
	if err != nil || !exit.OK() {
		t.Fatalf("got %v, %v:\n%s", exit, err, out.String())
	}
	here, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	// What started this process may have had signals ignored; no more than those are.
	for _, mask := range []string{"SigBlk", "SigIgn"} {
		if more := maskOf(t, mask, out.String()) &^ maskOf(t, mask, string(here)); more != 0 {
			t.Errorf("%s of the child has %x besides ours:\n%s", mask, more, out.String())
		}
	}
}

func maskOf(t *testing.T, name, status string) uint64 {
	t.Helper()
	_, after, _ := strings.Cut(status, name+":")
	mask, err := strconv.ParseUint(strings.TrimSpace(strings.SplitN(after, "\n", 2)[0]), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mask
}

func TestKeeperHeedsNoTerminal(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	file := t.TempDir() + "/pid"
	go func() {
		awaitPid(file)
		keeper := onlyBusy(t, p)
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGQUIT} {
			syscall.Kill(keeper, s)
		}
		os.WriteFile(file+".go", nil, 0o600)
	}()
	exit, err := p.Run(t.Context(), Spec{Argv: shell("echo $$ >" + file + "; " + waitFor(file+".go") + "; exit 5")})
	if err != nil || exit.Code != 5 {
		t.Errorf("got %v, %v", exit, err)
	}
}

func TestKeeperKilled(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	dir := t.TempDir()
	go func() {
		awaitPid(dir + "/child")
		syscall.Kill(onlyBusy(t, p), syscall.SIGKILL)
	}()
	within(t, func() {
		script := fmt.Sprintf("%s act deaf %s/other & %s; exec %s act deaf %s/child", os.Args[0], dir, waitFor(dir+"/other"), os.Args[0], dir)
		exit, err := p.Run(t.Context(), Spec{Argv: shell(script), Stdout: io.Discard})
		if !errors.Is(err, ErrKeeperLost) || exit.OK() || !strings.Contains(err.Error(), "killed") {
			t.Errorf("got %v, %v", exit, err)
		}
	})
	for _, name := range []string{"/child", "/other"} {
		pid := pidIn(t, dir+name)
		eventually(t, name+" gone", func() bool { return !alive(pid) })
	}
	if exit, err := p.Run(t.Context(), Spec{Argv: shell("exit 6")}); err != nil || exit.Code != 6 {
		t.Errorf("afterwards: %v, %v", exit, err)
	}
}

// The child ends with its keeper even if the process that started both is gone.
func TestKeeperKilledWhileMulliganCannotAct(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "act", "mulligan", dir+"/lock", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	daemon, child := pidIn(t, dir+"/daemon"), pidIn(t, dir+"/child")
	defer syscall.Kill(daemon, syscall.SIGKILL) // whose end is not promised
	keeper := parentOf(t, child)
	cmd.Process.Signal(syscall.SIGSTOP)
	syscall.Kill(keeper, syscall.SIGKILL)
	eventually(t, "the child gone", func() bool { return !alive(child) })
}

func onlyBusy(t testing.TB, p *Pool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.keepers) != 1 {
		t.Errorf("%d keepers at work", len(p.keepers))
	}
	for pid := range p.keepers {
		return pid
	}
	return 0
}

// Nothing outlives a SIGKILLed mulligan, and what it locked stays locked until then (J2).
func TestMulliganKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock := dir + "/lock"
	cmd := exec.Command(os.Args[0], "act", "mulligan", lock, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	daemon, child := pidIn(t, dir+"/daemon"), pidIn(t, dir+"/child")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	eventually(t, "the lock let go", func() bool {
		return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	})
	if alive(daemon) || alive(child) {
		t.Errorf("the lock was let go while daemon %v, child %v", alive(daemon), alive(child))
	}
}

// The keeper of a mulligan that was killed holds the lock for as long as it takes.
func TestLockOutlivesMulligan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "act", "mulligan", dir+"/lock", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := pidIn(t, dir+"/child")
	keeper := parentOf(t, child)
	syscall.Kill(keeper, syscall.SIGSTOP) // it cannot end anything now
	cmd.Process.Kill()
	cmd.Wait()
	f, err := os.OpenFile(dir+"/lock", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	time.Sleep(100 * time.Millisecond) // too short only hides a fault
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		t.Error("the lock was let go while the child lives")
	}
	syscall.Kill(keeper, syscall.SIGCONT)
	eventually(t, "the lock let go", func() bool {
		return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	})
	if alive(child) {
		t.Error("the child lives")
	}
}

func parentOf(t testing.TB, pid int) int {
	stat, err := ReadStat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return stat.Parent
}
