package worklock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/lockfile"
	"mulligan/internal/usererror"
)

const (
	this  = "20261115-214609-x7q2"
	other = "20261115-214610-y8r3"
)

func holdLock(t *testing.T, path, note string) *lockfile.File {
	t.Helper()
	lock, err := lockfile.Lock(path)
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

// TestLeaving: Take waits for a holder that is as good as gone, and refuses at once where one works.
func TestLeaving(t *testing.T) {
	over := func(session string) bool { return session == this }
	for note, leaving := range map[string]bool{
		"": true, // has just come, or goes
		fmt.Sprintf("session %s, process %d", this, os.Getpid()):  true,  // the journal has its end
		fmt.Sprintf("session %s, process %d", other, os.Getpid()): false, // it works
		passerByNote(): true,
		"session " + other + ", process 999999999":               true,
		fmt.Sprintf("mulligan restore, process %d", os.Getpid()): false,
	} {
		path := filepath.Join(t.TempDir(), "lock")
		lock := holdLock(t, path, note)
		got := make(chan error, 1)
		go func() {
			lock, err := Take(t.Context(), path, over)
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

// TestInterruptedWhileItWaits: a process that is interrupted while it waits for a workspace reports
// the interruption.
func TestInterruptedWhileItWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock := holdLock(t, path, passerByNote())
	defer lock.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := Take(ctx, path, func(string) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}
