package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/workspace"
)

const (
	this  = "20261115-214609-x7q2"
	other = "20261115-214610-y8r3"
)

func barred(t *testing.T) (a *App, s mulligan.Summary, path string) {
	t.Helper()
	state := t.TempDir()
	a = &App{Environ: []string{"XDG_STATE_HOME=" + state}}
	dir, err := a.stateDir()
	if err != nil {
		t.Fatal(err)
	}
	return a, mulligan.Summary{ID: this, Dir: "/workspace"}, folders{dir}.lock("/workspace")
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
