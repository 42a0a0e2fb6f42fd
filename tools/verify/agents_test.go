package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestAgentsAreInstalledOnce plays npm with a script that counts its runs, in two clones of one machine.
func TestAgentsAreInstalledOnce(t *testing.T) {
	bin, cache := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	dir, r := pinnedClone(t)
	install := func(runs string, want error) {
		t.Helper()
		if err := installAgents(context.Background(), r); !errors.Is(err, want) {
			t.Errorf("install: %v, want %v", err, want)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "runs")); string(got) != runs {
			t.Errorf("npm ran %q, want %q", got, runs)
		}
	}

	install("", errNotRun)
	npm := filepath.Join(bin, "npm")
	write(t, npm, "#!/bin/sh\necho 'npm error code EAI_AGAIN' >&2\nexit 1\n", 0o755)
	install("", errNotRun)
	if got := r.missing[len(r.missing)-1]; got != "installing the agents: npm ci in test/agents: exit status 1: code EAI_AGAIN" {
		t.Errorf("not run is said as %q", got)
	}
	write(t, npm, "#!/bin/sh\n/bin/mkdir -p node_modules/a\nprintf x >> runs\n/bin/cp runs node_modules/a/b\n/bin/ln -s b node_modules/a/c\n", 0o755)
	install("x", nil)
	install("x", nil)
	write(t, filepath.Join(dir, "package-lock.json"), `{"lockfileVersion":3}`, 0o644)
	install("xx", nil)
	install("xx", nil)

	dir, r = pinnedClone(t)
	install("x", nil) // what was kept is of the other pins
	write(t, filepath.Join(dir, "node_modules", "old"), "", 0o644)
	write(t, filepath.Join(dir, "package-lock.json"), `{"lockfileVersion":2}`, 0o644)
	install("xx", nil)

	dir, r = pinnedClone(t)
	write(t, filepath.Join(dir, "package-lock.json"), `{"lockfileVersion":2}`, 0o644)
	install("", nil)
	install("", nil)
	if got, err := os.ReadFile(filepath.Join(dir, "node_modules", "a", "c")); string(got) != "xx" {
		t.Errorf("what was kept is %q: %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "old")); err == nil {
		t.Error("what was there before was kept")
	}
}

// pinnedClone makes a clone that pins agents, and returns their folder and a run in it.
func pinnedClone(t *testing.T) (string, *run) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "test", "agents")
	for _, name := range []string{"package.json", "package-lock.json"} {
		write(t, filepath.Join(dir, name), "{}", 0o644)
	}
	write(t, filepath.Join(dir, ".npmrc"), "", 0o644)
	return dir, &run{root: root, out: io.Discard}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
