//go:build unix

package process

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hang is how long a test waits for what must come; it is no measure of anything.
const hang = 5 * time.Minute

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "keeper":
			KeeperMain()
		case "act":
			act(os.Args[2], os.Args[3:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// act is the test binary as a child.
func act(name string, args []string) {
	switch name {
	case "sleep": // FILE: writes its id and stays
		note(args[0])
		time.Sleep(time.Hour)
	case "deaf": // FILE: does not heed TERM
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		note(args[0])
		time.Sleep(time.Hour)
	case "daemon": // FILE [deaf]: leaves a process of another session behind, which has our pipes
		what := append(args[1:], "sleep")[0]
		spawn(what, args[0])
	case "daemons": // FILE: the same twice over, so that both parents are gone
		cmd := exec.Command(os.Args[0], "act", "daemon", args[0])
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		must(cmd.Run())
	case "parent": // FILE: has a child that has our pipes, and stays
		spawn("sleep", args[0])
		time.Sleep(time.Hour)
	case "flood": // BYTES
		n, err := strconv.Atoi(args[0])
		must(err)
		block := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
		for ; n > 0; n -= len(block) {
			os.Stdout.Write(block[:min(n, len(block))])
		}
	case "drip": // COUNT: a line now and then
		n, err := strconv.Atoi(args[0])
		must(err)
		for i := range n {
			fmt.Println("drop", i)
			time.Sleep(50 * time.Millisecond)
		}
	case "leftovers": // SESSION: ends them and says how many there were
		n, err := EndLeftovers(args[0])
		must(err)
		fmt.Println("ended", n)
	case "keeper-of-another-version": // says so, and waits
		conn, err := connFromFD(socketFd)
		must(err)
		must(send(conn, report{Ready: wireVersion + 1}))
		io.Copy(io.Discard, conn)
	case "fds": // prints what is open besides the first three; the numbers are the runtime's business
		for fd := 3; fd < 100; fd++ {
			if target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && !strings.Contains(target, "anon_inode") {
				fmt.Println("open:", target)
			}
		}
	case "below": // [STATE]: prints whether an agent, a check or a hook is above
		caller := IdentifySelf(os.Environ(), append(args, "")[0])
		fmt.Printf("%s %s\n", cmp.Or(string(caller.Role), "person"), caller.Why)
	case "hidden": // runs a child that looks at its keeper and at us, and asks what is above it
		actHidden()
	case "call": // SOCKET FILE: connects, writes its id, and stays
		_, err := net.Dial("unix", args[0])
		must(err)
		note(args[1])
		time.Sleep(time.Hour)
	case "call-tcp": // ADDRESS FILE: connects, writes its id, and stays
		_, err := net.Dial("tcp", args[0])
		must(err)
		note(args[1])
		time.Sleep(time.Hour)
	case "knock": // SOCKET: connects, and stays until it is answered
		c, err := net.Dial("unix", args[0])
		must(err)
		c.Read(make([]byte, 1))
	case "hang-up": // SOCKET FILE: connects, leaves the connection to a child, and ends
		c, err := net.Dial("unix", args[0])
		must(err)
		f, err := c.(*net.UnixConn).File()
		must(err)
		cmd := exec.Command(os.Args[0], "act", "sleep", args[1])
		cmd.ExtraFiles = []*os.File{f}
		must(cmd.Start())
	case "interrupted": // starts tools, and is interrupted all the while
		actInterrupted()
	case "mulligan":
		actMulligan(args[0], args[1])
	case "detached":
		ready := os.NewFile(3, "ready")
		fmt.Fprintln(ready, "ready", os.Getpid())
		fmt.Println("to the log")
		must(ready.Close())
	default:
		panic("no such act: " + name)
	}
}

// actHidden runs a child of an agent that reads what it can of its keeper and of this process.
func actHidden() {
	must(HideMemory())
	p := NewPool(PoolOptions{})
	script := fmt.Sprintf(`for pid in $PPID %d; do
		cat /proc/$pid/environ || echo denied
		dd if=/proc/$pid/mem count=0 || echo denied
	done 2>&1; %s act below`, os.Getpid(), os.Args[0])
	_, err := p.Run(context.Background(), Spec{Argv: shell(script), Role: RoleAgent, Stdout: os.Stdout, Stderr: os.Stdout})
	must(err)
}

// actMulligan holds a lock and runs a child that leaves a daemon, until it is killed.
func actMulligan(lock, dir string) {
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	must(err)
	must(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	p := NewPool(PoolOptions{Inherit: []*os.File{f}})
	script := fmt.Sprintf("%s act daemons %s/daemon; exec %s act deaf %s/child", os.Args[0], dir, os.Args[0], dir)
	_, err = p.Run(context.Background(), Spec{Argv: []string{"/bin/sh", "-c", script}})
	must(err)
}

func spawn(what, file string) {
	cmd := exec.Command(os.Args[0], "act", what, file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	must(cmd.Start())
	for start := time.Now(); time.Since(start) < hang; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
	panic("the spawned process did not begin")
}

// note writes our id in one go, so that a file that is there is whole.
func note(file string) {
	must(os.WriteFile(file+".new", []byte(strconv.Itoa(os.Getpid())), 0o600))
	must(os.Rename(file+".new", file))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func newPool(t testing.TB) *Pool {
	t.Helper()
	return NewPool(PoolOptions{})
}

func self(args ...string) []string {
	return append([]string{os.Args[0], "act"}, args...)
}

func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

// waitFor is how a shell waits for a file.
func waitFor(file string) string { return "while [ ! -e " + file + " ]; do sleep 0.01; done" }

// within fails the test where f takes so long that it must be hanging.
func within(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(hang):
		t.Fatal("hangs")
	}
}

// await is for goroutines beside the test's own, which cannot fail it.
func await(ok func() bool) bool {
	for start := time.Now(); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Since(start) > hang {
			return false
		}
	}
	return true
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !await(ok) {
		t.Fatalf("never: %s", what)
	}
}

// awaitPid waits for the id that a child notes.
func awaitPid(file string) (pid int) {
	await(func() bool {
		b, err := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil && pid > 0
	})
	return pid
}

func pidIn(t testing.TB, file string) int {
	t.Helper()
	pid := awaitPid(file)
	if pid == 0 {
		t.Fatalf("never an id in %s", filepath.Base(file))
	}
	return pid
}

// alive does not count a zombie, which only waits for its parent to read its end, nor one that
// is killed and has let its program go: it runs no more.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); runtime.GOOS == "linux" && err != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		_, noProc := os.Stat("/proc/self/stat")
		return noProc != nil
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return fields[0] != "Z" && fields[0] != "X"
}
