package client

import (
	"os"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process/processtest"
	"mulligan/journal/jetstream"
)

func TestMain(m *testing.M) { processtest.Main(m) }

// A scene is a state folder, and in it a session without a process of its own.
type scene struct {
	t    *testing.T
	env  *environ.Env
	host *jetstream.Store // what writes the session
	dir  string           // the session's workspace
	last int64
}

func newScene(t *testing.T) *scene {
	t.Helper()
	dir := t.TempDir()
	s := &scene{t: t, env: &environ.Env{Environ: []string{"XDG_STATE_HOME=" + t.TempDir()}, Dir: dir, Stderr: os.Stderr}, dir: dir}
	s.open()
	return s
}

// open begins to host the journal.
func (s *scene) open() {
	s.t.Helper()
	host, err := s.env.OpenJournal(s.t.Context(), jetstream.Session)
	if err != nil {
		s.t.Fatal(err)
	}
	s.host = host
	s.t.Cleanup(func() { host.Close() })
}

func (s *scene) close() {
	s.t.Helper()
	if err := s.host.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// write stores events of the session; what it came to is what the last of them says.
func (s *scene) write(bodies ...mulligan.Body) mulligan.Summary {
	s.t.Helper()
	sum := mulligan.Summary{ID: this, Dir: s.dir, Root: s.dir, Events: s.last + int64(len(bodies))}
	var events []mulligan.Event
	for i, b := range bodies {
		events = append(events, mulligan.Event{Number: s.last + int64(i) + 1, Time: time.Now(), Session: this, Body: b})
		if end, ok := b.(mulligan.SessionEnded); ok {
			sum.Ended = end.Outcome.Ended
		}
	}
	if err := s.host.Append(s.t.Context(), this, s.last, events, sum); err != nil {
		s.t.Fatal(err)
	}
	s.last = sum.Events
	return sum
}

func (s *scene) liveness() Liveness { return NewLiveness(s.env, s.host) }

func ended(how mulligan.Ended) mulligan.SessionEnded {
	return mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: how}}
}

func started() mulligan.SessionStarted { return mulligan.SessionStarted{Plan: &mulligan.Plan{}} }
