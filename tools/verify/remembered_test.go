package main

import (
	"io"
	"path/filepath"
	"testing"
)

func TestSourcesAreRemembered(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	root := t.TempDir()
	r := &run{root: root, out: io.Discard}
	hash := func() string {
		t.Helper()
		sources, err := hashSources(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return sources
	}
	write(t, filepath.Join(root, "a.go"), "package a\n", 0o644)
	write(t, filepath.Join(root, "tools", "go.sum"), "", 0o644)
	first := hash()
	if isRemembered("x", first) {
		t.Error("remembered before it was examined")
	}
	if err := remember("x", first); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"README.md", "node_modules/b.go", ".tools/b.go"} {
		write(t, filepath.Join(root, filepath.FromSlash(other)), "other", 0o644)
	}
	if !isRemembered("x", hash()) || isRemembered("y", hash()) {
		t.Error("not remembered for the analysis alone")
	}
	for _, changed := range []string{"a.go", "b/c_test.go", "tools/go.sum", "go.mod"} {
		write(t, filepath.Join(root, filepath.FromSlash(changed)), "package changed\n", 0o644)
		now := hash()
		if now == first || isRemembered("x", now) {
			t.Errorf("remembered although %s has changed", changed)
		}
		first = now
	}
	t.Setenv("GOFLAGS", "-tags=x")
	if hash() == first {
		t.Error("the same with other flags")
	}
}
