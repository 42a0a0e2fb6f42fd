package jetstream_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mulligan/journal/jetstream"
)

// state is what the system calls the state of a process.
func state(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[0]
}

// A host that is stopped is named to those who come, with what to do, and those who are
// there wait, say so once, and go on.
func TestHostIsStopped(t *testing.T) {
	dir := t.TempDir()
	host := &seat{t: t, dir: dir, session: "20261115-000000-host"}
	host.start()
	t.Cleanup(func() { host.kill(); <-host.done })
	settle(t, []*seat{host})
	guest := &seat{t: t, dir: dir, session: "20261115-000000-gest"}
	guest.start()
	t.Cleanup(func() { guest.kill(); <-guest.done })
	settle(t, []*seat{host, guest})
	command := open(t, dir, jetstream.Short)
	command.SetLimit(3 * time.Second)

	want := fmt.Sprintf("the process %d, which holds the journal, is stopped: `kill -CONT %d` lets it go on", host.pid, host.pid)
	before := stopHost(t, host, guest, want)
	_, err := jetstream.Open(t.Context(), jetstream.Options{Dir: dir, Mode: jetstream.Short, Wait: patience})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a newcomer: %v, want %q", err, want)
	}
	if _, err := command.Sessions(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("one who was there: %v, want %q", err, want)
	}
	raise(t, host.pid, unix.SIGCONT)
	settle(t, []*seat{host, guest})
	await(t, "the other says that it goes on", func() bool { return len(guest.said()) > before+1 })
	if said := guest.said()[before:]; !strings.Contains(said[0], want) || !strings.Contains(said[1], "answers again") {
		t.Errorf("it said %q", said)
	}
}

// stopHost stops the host until its guest says why it waits, and returns how often the guest has
// spoken before: on a busy machine it may wait, and say so, at any time, and then does not say it
// again for a host that is stopped meanwhile.
func stopHost(t *testing.T, host, guest *seat, want string) (before int) {
	t.Helper()
	for range 10 {
		await(t, "the guest waits for nothing", func() bool { return len(guest.said())%2 == 0 })
		before = len(guest.said())
		raise(t, host.pid, unix.SIGSTOP)
		await(t, "it has stopped", func() bool { return state(t, host.pid) == "T" })
		said := func() []string { return guest.said()[before:] }
		await(t, "the guest says that it waits", func() bool { return len(said()) > 0 })
		if strings.Contains(said()[0], want) {
			return before
		}
		raise(t, host.pid, unix.SIGCONT)
	}
	t.Fatalf("it never said %q, but %q", want, guest.said())
	return 0
}

// stoppedStranger is the id of a stopped process that has nothing to do with the journal at hand.
func stoppedStranger(t *testing.T) int {
	t.Helper()
	stranger := &seat{t: t, dir: t.TempDir(), session: "20261115-000000-host"}
	stranger.start()
	t.Cleanup(func() { stranger.kill(); <-stranger.done })
	settle(t, []*seat{stranger})
	raise(t, stranger.pid, unix.SIGSTOP)
	await(t, "it has stopped", func() bool { return state(t, stranger.pid) == "T" })
	return stranger.pid
}

// A process that is stopped and only has the id of a host that is gone keeps no process out.
func TestStoppedProcessThatIsNotTheHost(t *testing.T) {
	stranger := stoppedStranger(t)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/host.lock", fmt.Appendf(nil, "%d\n/no/such.sock\n", stranger), 0o600); err != nil {
		t.Fatal(err)
	}
	if !open(t, dir, jetstream.Short).Hosting() {
		t.Error("not the host")
	}
}

// A session whose process is stopped, and does not host, is told from one that is slow.
func TestSessionIsStopped(t *testing.T) {
	stranger := stoppedStranger(t)
	dir := t.TempDir()
	command := open(t, dir, jetstream.Short)
	command.SetLimit(patience)
	f := serveWithoutAHost(t, dir+"/serving/"+session)
	defer f.Close()
	if _, err := fmt.Fprintln(f, stranger); err != nil {
		t.Fatal(err)
	}
	_, err := command.Send(t.Context(), session, "stop")
	if e, ok := errors.AsType[*jetstream.UnheardError](err); !ok || e.PID != stranger || !e.Stopped {
		t.Errorf("it says %v", err)
	}
}
