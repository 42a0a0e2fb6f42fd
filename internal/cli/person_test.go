package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
	"mulligan/task"
)

const (
	this  = "20261115-214609-x7q2"
	other = "20261115-214610-y8r3"
)

func barred(t *testing.T) (a *App, s mulligan.Summary, path string) {
	t.Helper()
	state := t.TempDir()
	a = &App{Env: &environ.Env{Environ: []string{"XDG_STATE_HOME=" + state}}}
	dir, err := a.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	return a, mulligan.Summary{ID: this, Dir: "/workspace"}, environ.Folders{State: dir}.Lock("/workspace")
}

// TestBar: a session is written to from outside only while nobody can run it.
func TestBar(t *testing.T) {
	for holder, free := range map[string]bool{
		fmt.Sprintf("session %s, process %d", this, os.Getpid()):  false,
		fmt.Sprintf("session %s, process %d", other, os.Getpid()): true,
		"session " + other + ", process 999999999":                false, // its keepers are still there; then anybody may come
		"": false, // somebody has just come
		fmt.Sprintf("session restore, process %d", os.Getpid()): false,
	} {
		a, s, path := barred(t)
		lock, err := workspace.Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Note(holder); err != nil {
			t.Fatal(err)
		}
		release, err := a.bar(s)
		if busy, held := errors.AsType[*workspace.BusyError](err); (err == nil) != free || held == free || held && busy.Holder != holder {
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

// TestPassing: who holds the lock for a moment only is waited for, and leaves the note of a
// session that was killed as it was.
func TestPassing(t *testing.T) {
	a, s, path := barred(t)
	lock, err := workspace.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	note := "session " + this + ", process 999999999"
	if err := errors.Join(lock.Note(note), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	release, err := a.bar(s)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		lock, err := lockWorkspace(context.Background(), path, never)
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

// deaf is a session with a process that serves it, this one, and never finds a host.
func deaf(t *testing.T) *App {
	t.Helper()
	s := newScene(t)
	s.write(started())
	serves, err := s.app.OpenJournal(t.Context(), jetstream.Viewer) // which does not look for one
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
	return s.app
}

// TestSilent: a session whose process is there and hears nothing is not written to, but read; who the
// process is, is told. Whoever is interrupted meanwhile was interrupted.
func TestSilent(t *testing.T) {
	for name, say := range map[string]func(context.Context, *App) error{
		"tell": func(ctx context.Context, a *App) error {
			_, err := a.personCall(ctx, this, task.Request{Tool: toolTell, Args: json.RawMessage(`{"text":"Use tabs."}`)})
			return err
		},
		"stop": func(ctx context.Context, a *App) error { return a.stop(ctx, this, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := say(t.Context(), deaf(t))
			want := fmt.Sprintf("session %s does not answer, and its process %d is there", this, os.Getpid())
			if busy := (*usererror.Error)(nil); !errors.As(err, &busy) || busy.Code != mulligan.ExitBusy || busy.Words != want || busy.Hint != inAMoment {
				t.Errorf("it says %v", err)
			}
		})
		t.Run(name+", interrupted", func(t *testing.T) {
			t.Parallel()
			a := deaf(t)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if err := say(ctx, a); !errors.Is(err, context.Canceled) {
				t.Errorf("it says %v", err)
			}
		})
	}
	t.Run("look", func(t *testing.T) {
		t.Parallel()
		if _, err := deaf(t).personCall(t.Context(), this, task.Request{Tool: task.ToolList}); err != nil {
			t.Error(err)
		}
	})
}

// TestSilentAndStopped: what to do about a process that is stopped.
func TestSilentAndStopped(t *testing.T) {
	var out strings.Builder
	code := report(&out, silent(&jetstream.UnheardError{Session: this, PID: 123, Stopped: true}), false)
	want := "mulligan: session " + this + " does not answer: its process 123 is stopped\n  `kill -CONT 123` lets it go on, `kill -KILL 123` ends it\n"
	if code != mulligan.ExitBusy || out.String() != want {
		t.Errorf("it exits with %d and says %q", code, &out)
	}
}
