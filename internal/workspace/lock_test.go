package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// J3: one at a time, and the second is told who the first is.
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
	wantEqual(t, "holder", busy.Holder, "session abc, pid 12")

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
