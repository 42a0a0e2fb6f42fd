//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// snatchLock takes the lock in the moment that the host lets go of it, before its client
// does. nil: the client was faster.
func snatchLock(t *testing.T, dir string, host *jetstream.Store) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "host.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan error, 1)
	go func() { taken <- unix.Flock(int(f.Fd()), unix.LOCK_EX) }()
	time.Sleep(20 * time.Millisecond) // until it waits in the kernel
	if err := host.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-taken:
		if err != nil {
			t.Fatal(err)
		}
		return f
	case <-time.After(time.Second):
		return nil
	}
}

// While no process can host, an append waits for as long as its context lets it; its error has the
// reason, and the next one succeeds when it can.
func TestAppendWaitsForAHost(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		host, client := open(t, dir, jetstream.Session), open(t, dir, jetstream.Session)
		add(t, client, session, 0, 1)
		if lock := snatchLock(t, dir, host); lock != nil {
			appendWithoutHost(t, client, lock)
			return
		}
	}
	t.Fatal("the lock was never ours: the client was faster twenty times")
}

func appendWithoutHost(t *testing.T, client *jetstream.Store, lock *os.File) {
	// On a busy machine the first may be over before it is known why there is to be a wait.
	why, want := "", "another process holds the journal"
	if runtime.GOOS == "linux" {
		want = fmt.Sprintf("the process %d holds the journal", os.Getpid()) // though it has not written that it does
	}
	for _, wait := range []time.Duration{50 * time.Millisecond, time.Second, 10 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		err := client.Append(ctx, session, 1, journaltest.Events(session, 1, 1), journaltest.Summary(session, 2))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if why = err.Error(); strings.Contains(why, want) {
			break
		}
	}
	if !strings.Contains(why, want) {
		t.Error(why)
	}
	time.AfterFunc(50*time.Millisecond, func() { lock.Close() })
	add(t, client, session, 1, 2)
	if !client.Hosting() {
		t.Error("nobody took over")
	}
	if got, err := journaltest.Collect(client.Read(t.Context(), session, 1)); err != nil || len(got) != 3 {
		t.Errorf("%d events, %v", len(got), err)
	}
}
