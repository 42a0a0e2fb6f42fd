package jetstream_test

import (
	"os"
	"path/filepath"
	"testing"

	"mulligan/journal/jetstream"
)

// Killed while it makes a month's stream, a process leaves the description without its
// checksum. What is stored after that is there at every later start.
func TestAStreamHalfMade(t *testing.T) {
	whole := t.TempDir()
	s := open(t, whole, jetstream.Session)
	add(t, s, session, 0, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(whole, "jetstream", "$G", "streams", "*", "meta.inf"))
	if len(found) == 0 {
		t.Fatal("no stream has a description")
	}
	dir := t.TempDir()
	for _, path := range found {
		rel, err := filepath.Rel(whole, path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(rel), "msgs"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, rel), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := range int64(3) {
		s := open(t, dir, jetstream.Session)
		add(t, s, session, n, 1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		s = open(t, dir, jetstream.Short)
		for e, err := range s.Read(t.Context(), session, 1) {
			if err != nil {
				t.Fatal(err)
			}
			last = e.Number
		}
		if last != n+1 {
			t.Fatalf("%d events are there, want %d", last, n+1)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
