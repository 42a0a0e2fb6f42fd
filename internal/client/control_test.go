package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/lockfile"
	"mulligan/internal/protocol"
	"mulligan/internal/redact"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/journal/jetstream"
	"mulligan/task"
)

const (
	this  = "20261115-214609-x7q2"
	other = "20261115-214610-y8r3"
)

// lockedOut returns an environment, a session without a process, and the path of its workspace's lock.
func lockedOut(t *testing.T) (env *environ.Env, s mulligan.Summary, path string) {
	t.Helper()
	state := t.TempDir()
	env = &environ.Env{Environ: []string{"XDG_STATE_HOME=" + state}}
	dir, err := env.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	return env, mulligan.Summary{ID: this, Dir: "/workspace"}, environ.Folders{State: dir}.Lock("/workspace")
}

// TestKeepOthersOut: a session is written to from outside only while no process can run it.
func TestKeepOthersOut(t *testing.T) {
	for holder, free := range map[string]bool{
		fmt.Sprintf("session %s, process %d", this, os.Getpid()):  false,
		fmt.Sprintf("session %s, process %d", other, os.Getpid()): true,
		"session " + other + ", process 999999999":                false, // its keepers are still there; then any process may come
		"": false, // its holder has just come
		fmt.Sprintf("mulligan restore, process %d", os.Getpid()): false,
	} {
		env, s, path := lockedOut(t)
		lock, err := lockfile.Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Note(holder); err != nil {
			t.Fatal(err)
		}
		release, err := New(env).keepOthersOut(s)
		if busy, held := errors.AsType[*lockfile.BusyError](err); (err == nil) != free || held == free || held && busy.Holder != holder {
			t.Errorf("held by %q: %v", holder, err)
		}
		if err == nil {
			release()
		}
		if err := lock.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
}

func never(string) bool { return false }

// TestPassing: a process that holds the lock for a moment only is waited for, and leaves the note of a
// session that was killed as it was.
func TestPassing(t *testing.T) {
	env, s, path := lockedOut(t)
	lock, err := lockfile.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	note := "session " + this + ", process 999999999"
	if err := errors.Join(lock.Note(note), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	release, err := New(env).keepOthersOut(s)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		lock, err := worklock.Take(context.Background(), path, never)
		if err == nil && lock.Before() != note {
			err = fmt.Errorf("the note is %q", lock.Before())
		}
		if err == nil {
			err = lock.Unlock()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	release()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// serveUnheard makes a session with a process that serves it, this one, and never finds a host.
func serveUnheard(t *testing.T) *environ.Env {
	t.Helper()
	s := newScene(t)
	s.write(started())
	serves, err := s.env.OpenJournal(t.Context(), jetstream.Viewer) // which does not look for one
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { serves.Close() })
	stop, err := serves.Serve(this, func(string) (string, error) { return "", errors.New("it was heard") })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	s.close()
	return s.env
}

// TestSilent: a session whose process is there and hears nothing is not written to, but read; the error
// names the process. A command that is interrupted meanwhile reports the interruption.
func TestSilent(t *testing.T) {
	for name, say := range map[string]func(context.Context, *environ.Env) error{
		"tell": func(ctx context.Context, env *environ.Env) error {
			_, err := New(env).Request(ctx, this, task.Request{Tool: protocol.ToolTell, Args: json.RawMessage(`{"text":"Use tabs."}`)})
			return err
		},
		"stop": func(ctx context.Context, env *environ.Env) error { return New(env).Stop(ctx, this, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := say(t.Context(), serveUnheard(t))
			want := fmt.Sprintf("session %s does not answer, and its process %d is there", this, os.Getpid())
			if busy := (*usererror.Error)(nil); !errors.As(err, &busy) || busy.Code != mulligan.ExitBusy || busy.Words != want || busy.Hint != tryAgainHint {
				t.Errorf("it says %v", err)
			}
		})
		t.Run(name+", interrupted", func(t *testing.T) {
			t.Parallel()
			env := serveUnheard(t)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if err := say(ctx, env); !errors.Is(err, context.Canceled) {
				t.Errorf("it says %v", err)
			}
		})
	}
	t.Run("look", func(t *testing.T) {
		t.Parallel()
		if _, err := New(serveUnheard(t)).Request(t.Context(), this, task.Request{Tool: task.ToolList}); err != nil {
			t.Error(err)
		}
	})
}

// TestOverMeanwhile: a request that reaches a session's process after its end is written to the journal,
// as if no process ran the session.
func TestOverMeanwhile(t *testing.T) {
	s := newScene(t)
	s.env.Secrets = redact.New(nil)
	s.write(started())
	stop, err := s.host.Serve(this, func(string) (string, error) { return "", fmt.Errorf("told too late: %w", mulligan.ErrOver) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := New(s.env).Tell(t.Context(), this, "Use tabs."); err != nil {
		t.Fatal(err)
	}
	last := mulligan.Event{}
	for e, err := range s.host.Read(t.Context(), this, 1) {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	if told, ok := last.Body.(mulligan.Told); !ok || told.Text != "Use tabs." {
		t.Errorf("the last event is %+v", last)
	}
}

// TestSilentAndStopped: the hint says what to do about a process that is stopped.
func TestSilentAndStopped(t *testing.T) {
	err := silentError(&jetstream.UnheardError{Session: this, PID: 123, Stopped: true})
	want := usererror.Error{
		Code:  mulligan.ExitBusy,
		Words: "session " + this + " does not answer: its process 123 is stopped",
		Hint:  "`kill -CONT 123` lets it go on, `kill -KILL 123` ends it",
	}
	got, ok := errors.AsType[*usererror.Error](err)
	if !ok || got.Code != want.Code || got.Words != want.Words || got.Hint != want.Hint {
		t.Errorf("it is %+v", got)
	}
}
