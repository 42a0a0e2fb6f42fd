package jetstream_test

import (
	"testing"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

func open(t testing.TB, dir string, mode jetstream.Mode) *jetstream.Store {
	t.Helper()
	s, err := jetstream.Open(t.Context(), jetstream.Options{Dir: dir, Version: "test", Mode: mode, Wait: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestJournal(t *testing.T) {
	t.Run("host", func(t *testing.T) {
		journaltest.Run(t, func(t *testing.T) mulligan.Journal { return open(t, t.TempDir(), jetstream.Session) })
	})
	t.Run("client", func(t *testing.T) {
		journaltest.Run(t, func(t *testing.T) mulligan.Journal {
			dir := t.TempDir()
			if host := open(t, dir, jetstream.Session); !host.Hosting() {
				t.Fatal("the first is not the host")
			}
			client := open(t, dir, jetstream.Session)
			if client.Hosting() {
				t.Fatal("the second is a host")
			}
			return client
		})
	})
}
