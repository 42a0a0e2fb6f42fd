package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

func holding(t *testing.T, path, note string) *workspace.LockFile {
	t.Helper()
	lock, err := workspace.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if note != "" {
		err = lock.Note(note)
	}
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// TestLeaving: who is as good as gone is waited for; one who works there is told of at once.
func TestLeaving(t *testing.T) {
	over := func(session string) bool { return session == this }
	for note, leaving := range map[string]bool{
		"": true, // has just come, or goes
		fmt.Sprintf("session %s, process %d", this, os.Getpid()):  true,  // the journal has its end
		fmt.Sprintf("session %s, process %d", other, os.Getpid()): false, // it works
		passing(): true,
		"session " + other + ", process 999999999":              true,
		fmt.Sprintf("session restore, process %d", os.Getpid()): false,
	} {
		path := filepath.Join(t.TempDir(), "lock")
		lock := holding(t, path, note)
		got := make(chan error, 1)
		go func() {
			lock, err := lockWorkspace(t.Context(), path, over)
			if err == nil {
				err = lock.Unlock()
			}
			got <- err
		}()
		if !leaving {
			if busy := (*usererror.Error)(nil); !errors.As(<-got, &busy) || busy.Code != mulligan.ExitBusy {
				t.Errorf("held by %q: it was not refused", note)
			}
			continue
		}
		select {
		case err := <-got:
			t.Errorf("held by %q: it did not wait: %v", note, err)
		case <-time.After(100 * time.Millisecond):
		}
		if err := errors.Join(lock.Unlock(), <-got); err != nil {
			t.Errorf("held by %q: %v", note, err)
		}
	}
}

// TestInterruptedWhileItWaits: whoever is interrupted while it waits for a workspace was interrupted.
func TestInterruptedWhileItWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock := holding(t, path, passing())
	defer lock.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := lockWorkspace(ctx, path, never); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}

// TestGoOnWithWhatHasEnded: what became of a session between the decision to go on with it and the lock
// of its workspace counts.
func TestGoOnWithWhatHasEnded(t *testing.T) {
	s := newScene(t)
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=A User", "-c", "user.email=user@example.com", "commit", "-q", "--allow-empty", "-m", "start"}} {
		if _, err := (process.Tool{Dir: s.dir, Argv: append([]string{"git"}, args...)}).Output(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	state, err := s.app.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	h := &house{app: s.app, root: s.dir, folders: environ.Folders{State: state}}
	s.app.Stderr = os.Stderr
	if h.store, err = holdJournal(s.host, state, h.warn); err != nil {
		t.Fatal(err)
	}
	before := s.write(mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "make"}}}, Place: mulligan.Place{Dir: s.dir, Root: s.dir}})
	s.write(ended(mulligan.Verified))
	j, err := h.goOnWith(t.Context(), before)
	if refused := (*usererror.Error)(nil); !errors.As(err, &refused) || refused.Code != mulligan.ExitUsage || refused.Words != "session "+this+" is over: verified" {
		t.Errorf("it goes on: %v", err)
	}
	if j != nil {
		j.close()
	}
}
