//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mulligan/journal/jetstream"
)

// A session that ends right after it has answered, or because of a verb: the sender
// gets the answer, and does not send the verb to another process.
func TestLastWords(t *testing.T) {
	for _, hosting := range []bool{true, false} {
		for _, mode := range []jetstream.Mode{jetstream.Short, jetstream.Viewer} {
			t.Run(fmt.Sprintf("hosting %v, mode %d", hosting, mode), func(t *testing.T) {
				for range 10 {
					lastWords(t, hosting, mode)
				}
			})
		}
	}
}

func lastWords(t *testing.T, hosting bool, mode jetstream.Mode) {
	dir := t.TempDir()
	running := open(t, dir, jetstream.Session)
	if !hosting {
		running = open(t, dir, jetstream.Session)
	}
	command := open(t, dir, mode)
	told := make(chan struct{})
	// An answer that is not there yet when the session ends, and takes some time to be read.
	answer := strings.Repeat("stopping ", 100_000)
	stop, err := running.Serve(session, func(string) (string, error) {
		close(told)
		time.Sleep(20 * time.Millisecond)
		return answer, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() {
		<-told
		stop()
		closed <- running.Close()
	}()
	if reply, err := command.Send(t.Context(), session, "stop"); err != nil || reply != answer {
		t.Errorf("%d bytes of %d, %v", len(reply), len(answer), err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A process that serves a session and looks for a new host of the journal runs, however long
// that takes it.
func TestSessionBetweenTwoHosts(t *testing.T) {
	dir := t.TempDir()
	running, command := open(t, dir, jetstream.Session), open(t, dir, jetstream.Short)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	file := filepath.Join(dir, "serving", session)
	f := serveWithoutAHost(t, file)
	got := make(chan error, 1)
	go func() {
		reply, err := command.Send(ctx, session, "stop")
		if err == nil && reply != "stopping" {
			err = errors.New("answered " + reply)
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("before it has a host: %v", err)
	case <-time.After(500 * time.Millisecond):
	}
	stop, err := running.Serve(session, func(string) (string, error) { return "stopping", nil })
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := <-got; err != nil {
		t.Error(err)
	}
	stop()
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is served no more, and %s says that it is: %v", file, err)
	}
	// One that was killed leaves the file, which no process holds.
	serveWithoutAHost(t, file).Close()
	if _, err := command.Send(ctx, session, "stop"); !errors.Is(err, jetstream.ErrNotRunning) {
		t.Errorf("killed: %v", err)
	}
}

// A process that serves a session and hears nothing is not waited for without end, and is named;
// what was to be told is not.
func TestUnheard(t *testing.T) {
	dir := t.TempDir()
	running, command := open(t, dir, jetstream.Session), open(t, dir, jetstream.Short)
	command.SetLimit(300 * time.Millisecond)
	file := filepath.Join(dir, "serving", session)
	f := serveWithoutAHost(t, file)
	defer f.Close()
	_, err := command.Send(t.Context(), session, `{"tool":"tell"}`)
	if e, ok := errors.AsType[*jetstream.UnheardError](err); !ok || *e != (jetstream.UnheardError{Session: session}) {
		t.Errorf("it says %v", err)
	}
	stop, err := running.Serve(session, func(string) (string, error) { return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if text, err := os.ReadFile(file); err != nil || string(text) != fmt.Sprintln(os.Getpid()) {
		t.Errorf("who serves it is %q, %v", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := command.Send(ctx, session, `{"tool":"tell"}`); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "send a request to session") {
		t.Errorf("it says %v", err)
	}
}

// So is one that was reached, and does not answer.
func TestUnanswered(t *testing.T) {
	free := make(chan struct{})
	ctx, command := control(t, func(string) (string, error) { <-free; return "", nil })
	t.Cleanup(func() { close(free) })
	command.SetLimit(300 * time.Millisecond)
	_, err := command.Send(ctx, session, "stop")
	if e, ok := errors.AsType[*jetstream.UnheardError](err); !ok || e.PID != os.Getpid() || e.Stopped {
		t.Errorf("it says %v", err)
	}
}

// What processes that were killed leave is cleared away, and what those who are there hold is not.
func TestServingIsTidied(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	left, held := filepath.Join(dir, "serving", "left"), filepath.Join(dir, "serving", "held")
	serveWithoutAHost(t, left).Close()
	defer serveWithoutAHost(t, held).Close()
	if _, err := s.Tidy(t.Context(), time.Now(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left: %v", err)
	}
	if _, err := os.Stat(held); err != nil {
		t.Errorf("what is held: %v", err)
	}
}

func serveWithoutAHost(t *testing.T, file string) *os.File {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	return f
}

// A caller that waits for the journal and is interrupted was interrupted: that is no fault of the
// journal's, whatever the cause is called.
func TestInterruptedWhileWaiting(t *testing.T) {
	why := errors.New("interrupted by a signal")
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s := open(t, t.TempDir(), jetstream.Session)
	add(t, s, session, 0, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := s.Sessions(ctx)
	check("list", err)

	dir := t.TempDir()
	holdLock(t, dir, "")
	ctx, cancel = context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	_, err = jetstream.Open(ctx, jetstream.Options{Dir: dir, Wait: patience})
	check("open", err)
}
