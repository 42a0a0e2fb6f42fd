//go:build unix

package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

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
	if len(p.keepers) != 0 {
		t.Errorf("%d keepers are left", len(p.keepers))
	}
}

// Each child has a keeper of its own, which is gone when Run returns.
func TestRunLeavesNoKeeper(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for range 5 {
		var out bytes.Buffer
		exit, err := p.Run(t.Context(), Spec{Argv: shell("echo $PPID"), Stdout: &out})
		keeper, _ := strconv.Atoi(strings.TrimSpace(out.String()))
		if err != nil || !exit.OK() || keeper == 0 || keeper == os.Getpid() {
			t.Fatalf("got %v, %v, keeper %d", exit, err, keeper)
		}
		if syscall.Kill(keeper, 0) == nil {
			t.Errorf("keeper %d is left", keeper)
		}
	}
}

// A program that is no keeper of ours is not used: keepers are our own program then.
func TestPoolWithoutKeeperProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripts := map[string]string{
		"one that prints":        "echo not me",
		"one that ends at once":  "exit 0",
		"one of another version": "exec " + os.Args[0] + " act keeper-of-another-version",
	}
	programs := map[string]string{"none": dir + "/none", "a folder": dir}
	for name, script := range scripts {
		programs[name] = filepath.Join(dir, name)
		must(os.WriteFile(programs[name], []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	for name, program := range programs {
		p := NewPool(PoolOptions{Program: program})
		within(t, func() {
			if exit, err := p.Run(t.Context(), Spec{Argv: shell("exit 3")}); err != nil || exit.Code != 3 {
				t.Errorf("%s: %v, %v", name, exit, err)
			}
		})
	}
}

// A keeper's program that is replaced or written to after the pool was made is not executed.
func TestPoolWithChangedProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux executes a file that is held open")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "keeper")
	write := func(path, name string) {
		t.Helper()
		text := "#!/bin/sh\n/bin/mkdir " + dir + "/" + name + "\nexec " + os.Args[0] + " keeper\n"
		must(os.WriteFile(path, []byte(text), 0o700))
	}
	runs := func(p *Pool, name string) bool {
		t.Helper()
		if exit, err := p.Run(t.Context(), Spec{Argv: shell("exit 3")}); err != nil || exit.Code != 3 {
			t.Errorf("got %v, %v", exit, err)
		}
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	write(program, "first")
	p := NewPool(PoolOptions{Program: program})
	write(program+".new", "replaced")
	must(os.Rename(program+".new", program))
	if runs(p, "replaced") {
		t.Error("the program was replaced, and the new one is executed")
	}
	p = NewPool(PoolOptions{Program: program})
	if !runs(p, "replaced") {
		t.Error("a program that stays is not executed")
	}
	write(program, "written")
	if runs(p, "written") {
		t.Error("the program was written to, and is executed")
	}
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
