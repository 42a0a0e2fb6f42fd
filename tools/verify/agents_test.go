package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestAgentsAreInstalledOnce plays npm with a script that counts its runs.
func TestAgentsAreInstalledOnce(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "test", "agents")
	for path, text := range map[string]string{
		filepath.Join(dir, "package.json"):      "{}",
		filepath.Join(dir, "package-lock.json"): "{}",
		filepath.Join(dir, ".npmrc"):            "",
	} {
		write(t, path, text, 0o644)
	}
	t.Setenv("PATH", bin)
	r := &run{root: root, out: io.Discard}
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
	write(t, npm, "#!/bin/sh\n/bin/mkdir -p node_modules\nprintf x >> runs\n", 0o755)
	install("x", nil)
	install("x", nil)
	write(t, filepath.Join(dir, "package-lock.json"), `{"lockfileVersion":3}`, 0o644)
	install("xx", nil)
	install("xx", nil)
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
