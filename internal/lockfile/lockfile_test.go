package lockfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLock: one process at a time has the lock (J3), and the second learns who the first is.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "lock")
	one, err := Lock(path)
	must(t, err)
	must(t, one.Note("session abc, pid 12345678"))
	must(t, one.Note("session abc, pid 12"))
	_, err = Lock(path)
	busy, ok := errors.AsType[*BusyError](err)
	if !ok {
		t.Fatalf("error is %v", err)
	}
	if busy.Holder != "session abc, pid 12" {
		t.Errorf("holder is %q", busy.Holder)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = LockWait(ctx, path)
	if _, ok := errors.AsType[*BusyError](err); !ok || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}

	got := make(chan error, 1)
	go func() {
		two, err := LockWait(context.Background(), path)
		if err == nil {
			err = two.Unlock()
		}
		got <- err
	}()
	must(t, one.Unlock())
	select {
	case err := <-got:
		must(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("the lock was not taken")
	}
}

// TestHolder tells a note that was left from one whose writer has the lock.
func TestHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	check := func(what, wantNote string, wantHeld bool) {
		t.Helper()
		if note, held := Holder(path); note != wantNote || held != wantHeld {
			t.Errorf("%s: %q, held is %v", what, note, held)
		}
	}
	check("no file", "", false)
	lock, err := Lock(path)
	must(t, err)
	must(t, lock.Note("session abc, pid 12"))
	check("taken", "session abc, pid 12", true)
	must(t, lock.Unlock())
	check("left", "session abc, pid 12", false)
}

// TestLockThatIsLookedAt: a process that only looks keeps no other from taking the lock.
func TestLockThatIsLookedAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := Lock(path)
	must(t, err)
	must(t, lock.Unlock())
	looks, err := os.Open(path)
	must(t, err)
	defer looks.Close()
	for range 3 {
		must(t, TryShare(looks))
		released := make(chan error)
		time.AfterFunc(20*time.Millisecond, func() { released <- release(looks) })
		lock, err := Lock(path)
		must(t, <-released)
		must(t, err)
		must(t, lock.Unlock())
	}
}
