package process

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// stray starts a process with one variable, as a session's that lost its keeper would be.
func stray(t *testing.T, mark string) *exec.Cmd {
	t.Helper()
	file := t.TempDir() + "/pid"
	cmd := exec.Command(os.Args[0], "act", "sleep", file)
	cmd.Env = []string{mark}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	pidIn(t, file)
	return cmd
}

func TestEndLeftovers(t *testing.T) {
	t.Parallel()
	const session = "20260101-000000-left"
	theirs := stray(t, sessionMark+"="+session)
	others := map[string]*exec.Cmd{
		"another session's":              stray(t, sessionMark+"="+session+"2"),
		"one with the id elsewhere":      stray(t, "OTHER="+sessionMark+"="+session),
		"one whose variable ends so":     stray(t, "X"+sessionMark+"="+session),
		"one that has but the beginning": stray(t, sessionMark+"=20260101-000000-lef"),
	}
	if n, err := EndLeftovers(session); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	if alive(theirs.Process.Pid) {
		t.Error("the session's process lives")
	}
	for what, cmd := range others {
		if !alive(cmd.Process.Pid) {
			t.Errorf("%s was ended", what)
		}
	}
	if n, err := EndLeftovers(session); n != 0 || err != nil {
		t.Errorf("nothing is left, and yet: ended %d, %v", n, err)
	}
	if n, err := EndLeftovers(""); n != 0 || err != nil {
		t.Errorf("no session: ended %d, %v", n, err)
	}
}

// The calling process and its ancestors are no leftovers: a person may resume a
// session in a shell that the session's agent started.
func TestEndLeftoversSparesThoseAbove(t *testing.T) {
	t.Parallel()
	const session = "20260101-000000-self"
	// A shell that stays, above one that calls.
	cmd := exec.Command("/bin/sh", "-c", os.Args[0]+" act leftovers "+session+"; exit $?")
	cmd.Env = []string{sessionMark + "=" + session}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ended 0\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// A keeper that is killed takes even those with it that have left the child's session.
func TestKeeperKilledDaemonsGone(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	dir := t.TempDir()
	go func() {
		awaitPid(dir + "/daemon")
		syscall.Kill(onlyBusy(t, p), syscall.SIGKILL)
	}()
	_, err := p.Run(t.Context(), Spec{
		Argv: shell(os.Args[0] + " act daemons " + dir + "/daemon; sleep 1000"),
		Env:  append(os.Environ(), sessionMark+"=20260101-000000-gone", "MULLIGAN_TURN=3"),
	})
	if err == nil {
		t.Error("the keeper's loss is not told")
	}
	if pid := pidIn(t, dir+"/daemon"); alive(pid) {
		t.Errorf("%d lives", pid)
	}
}
