package jetstream_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/jetstream/clustertest"
	"mulligan/journal/journaltest"
)

const benchSession = "20261115-214609-benc"

func appendOne(b *testing.B, s *jetstream.Store, session string, after int64) {
	b.Helper()
	if err := s.Append(context.Background(), session, after, padded(session, after, 1), journaltest.Summary(session, after+1)); err != nil {
		b.Fatal(err)
	}
}

// padded makes events of about 500 bytes.
func padded(session string, after int64, n int) []mulligan.Event {
	events := journaltest.Events(session, after, n)
	for i := range events {
		events[i].Body = mulligan.TurnStarted{Turn: i, Agent: "scripted", Prompt: fmt.Sprintf("%0400d", i)}
	}
	return events
}

// BenchmarkFsync is the floor that an append stands on.
func BenchmarkFsync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 600)
	for b.Loop() {
		if _, err := f.Write(block); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, role := range []string{"host", "client"} {
		b.Run(role, func(b *testing.B) {
			dir := b.TempDir()
			s := open(b, dir, jetstream.Session)
			if role == "client" {
				s = open(b, dir, jetstream.Session)
			}
			appendOne(b, s, benchSession, 0)
			after := int64(1)
			for b.Loop() {
				appendOne(b, s, benchSession, after)
				after++
			}
		})
	}
}

// BenchmarkOpenAppend is a session's start: host an empty store, append, let go.
func BenchmarkOpenAppend(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		b.StartTimer()
		s, err := jetstream.Open(b.Context(), jetstream.Options{Dir: dir, Mode: jetstream.Session})
		if err != nil {
			b.Fatal(err)
		}
		appendOne(b, s, benchSession, 0)
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkOpenList is what `status` does: host, list the sessions, let go.
func BenchmarkOpenList(b *testing.B) {
	for _, events := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("%d-events", events), func(b *testing.B) {
			dir := b.TempDir()
			fillStore(b, dir, events)
			for b.Loop() {
				s, err := jetstream.Open(b.Context(), jetstream.Options{Dir: dir, Mode: jetstream.Short})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Sessions(b.Context()); err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpenRead reads a session of so many events from a store without a host.
func BenchmarkOpenRead(b *testing.B) {
	for _, events := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("%d-events", events), func(b *testing.B) {
			dir := b.TempDir()
			fillStore(b, dir, events)
			for b.Loop() {
				s, err := jetstream.Open(b.Context(), jetstream.Options{Dir: dir, Mode: jetstream.Short})
				if err != nil {
					b.Fatal(err)
				}
				got, err := journaltest.Collect(s.Read(b.Context(), benchSession, 1))
				if err != nil || len(got) != events {
					b.Fatal(len(got), err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fillStore writes a session, three events to a frame or so, and lets go of the store.
func fillStore(b *testing.B, dir string, events int) {
	b.Helper()
	s, err := jetstream.Open(b.Context(), jetstream.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	for after := 0; after < events; {
		n := min(3, events-after)
		if err := s.Append(b.Context(), benchSession, int64(after), padded(benchSession, int64(after), n), journaltest.Summary(benchSession, int64(after+n))); err != nil {
			b.Fatal(err)
		}
		after += n
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAppendHeard is an append with a port for listeners, and with so many of them.
func BenchmarkAppendHeard(b *testing.B) {
	for _, listeners := range []int{0, 1, 10} {
		b.Run(fmt.Sprint(listeners), func(b *testing.B) {
			s := open(b, b.TempDir(), jetstream.Session)
			l, err := s.Listen("127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			for range listeners {
				stop, err := clustertest.Hear(l.URL(), jetstream.EventSubjects, func(string, []byte) {})
				if err != nil {
					b.Fatal(err)
				}
				defer stop()
			}
			after := int64(0)
			for b.Loop() {
				appendOne(b, s, benchSession, after)
				after++
			}
		})
	}
}
