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
	for _, test := range []struct {
		name string
		left []string
	}{
		{"with nothing in it", []string{"meta.inf"}},
		{"with a block", []string{"meta.inf", "meta.sum.tmp", "msgs/2.blk"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole, dir := t.TempDir(), t.TempDir()
			s := open(t, whole, jetstream.Session)
			add(t, s, other, 0, 1)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			for _, name := range test.left {
				keep(t, whole, dir, name)
			}
			for n := range int64(3) {
				s := open(t, dir, jetstream.Session)
				add(t, s, session, n, 1)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				wantEvents(t, dir, n+1)
			}
		})
	}
}

// keep copies a file of the streams as a kill leaves it: of a block the mark that the engine
// begins it with.
func keep(t *testing.T, from, to, name string) {
	t.Helper()
	streams, _ := filepath.Glob(filepath.Join(from, "jetstream", "$G", "streams", "*"))
	if len(streams) == 0 {
		t.Fatal("there is no stream")
	}
	for _, stream := range streams {
		data, _ := os.ReadFile(filepath.Join(stream, name)) // what only a kill leaves is empty
		if filepath.Ext(name) == ".blk" {
			data = data[:min(len(data), 30)]
		}
		path := filepath.Join(to, "jetstream", "$G", "streams", filepath.Base(stream), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func wantEvents(t *testing.T, dir string, want int64) {
	t.Helper()
	s := open(t, dir, jetstream.Short)
	var last int64
	for e, err := range s.Read(t.Context(), session, 1) {
		if err != nil {
			t.Fatal(err)
		}
		last = e.Number
	}
	if last != want {
		t.Fatalf("%d events are there, want %d", last, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
