package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mulligan/internal/lockfile"
)

var crashDir = flag.String("crash.dir", "", "where the runs' folders are made (default: the temporary folder)")

// crashLock is the file in the runs' folder that the test holds locked.
const crashLock = "mulligan-crash.lock"

// makeCrashBase makes the folder that has all runs in it, and removes it when the test ends. The name is short: a
// socket's path has 104 bytes.
func makeCrashBase(t *testing.T, parent string) string {
	t.Helper()
	if *crashKeep && parent == "" {
		t.Fatal("-crash.keep needs -crash.dir: the temporary folder may be in memory that only the tests see")
	}
	if parent != "" {
		removeAbandoned(parent)
	}
	base, err := os.MkdirTemp(parent, "crash")
	if err == nil {
		base, err = filepath.Abs(base)
	}
	if err != nil {
		t.Fatal(err)
	}
	lock, err := lockfile.Lock(filepath.Join(base, crashLock))
	if err != nil {
		os.RemoveAll(base)
		t.Fatal(err)
	}
	t.Cleanup(func() {
		lock.Unlock()
		if t.Failed() && *crashKeep {
			os.Remove(filepath.Join(base, crashLock))
			return
		}
		for _, left := range waitForProcesses(base) {
			t.Errorf("left behind: %s", left)
		}
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	return base
}

// removeAbandoned removes what a test has left that was killed: nobody holds its lock. What was kept has none.
func removeAbandoned(parent string) {
	locks, _ := filepath.Glob(filepath.Join(parent, "crash*", crashLock))
	for _, path := range locks {
		if lock, err := lockfile.Lock(path); err == nil {
			os.RemoveAll(filepath.Dir(path))
			lock.Unlock()
		}
	}
}

func TestRemoveAbandoned(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"crash1", "crash2", "crash3", "other"} {
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"crash1", "other"} { // nobody holds these
		lock, err := lockfile.Lock(filepath.Join(parent, name, crashLock))
		if err != nil {
			t.Fatal(err)
		}
		lock.Unlock()
	}
	held, err := lockfile.Lock(filepath.Join(parent, "crash2", crashLock))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Unlock()
	removeAbandoned(parent)
	left, err := filepath.Glob(filepath.Join(parent, "*"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(parent, "crash2"), filepath.Join(parent, "crash3"), filepath.Join(parent, "other")}
	if !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
