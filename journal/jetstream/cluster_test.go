//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/jetstream/clustertest"
	"mulligan/journal/journaltest"
)

func startCluster(t *testing.T, dir string, n int) *clustertest.Cluster {
	t.Helper()
	c, err := clustertest.Start(dir, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func join(t *testing.T, engine string, mode jetstream.Mode, notice func(string)) *jetstream.Store {
	t.Helper()
	s, err := jetstream.Open(t.Context(), jetstream.Options{Dir: t.TempDir(), Engine: engine, Version: "test", Mode: mode, Notice: notice, Wait: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// The suite passes on three servers.
func TestClusterJournal(t *testing.T) {
	c := startCluster(t, t.TempDir(), 3)
	journaltest.Run(t, func(t *testing.T) mulligan.Journal {
		if err := c.Clear(); err != nil {
			t.Fatal(err)
		}
		return join(t, c.URLs(), jetstream.Session, nil)
	})
	streams, err := c.Streams()
	if err != nil || len(streams) == 0 {
		t.Fatal(streams, err)
	}
	for _, s := range streams {
		if s.Replicas != 3 {
			t.Errorf("%s is kept %d times", s.Name, s.Replicas)
		}
	}
}

// The leader is killed in the middle: callers wait and carry on, and nothing is lost.
func TestClusterLosesItsLeader(t *testing.T) {
	c := startCluster(t, t.TempDir(), 3)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	writer, viewer := join(t, c.URLs(), jetstream.Session, nil), join(t, c.URLs(), jetstream.Viewer, nil)
	stop, err := writer.Serve(session, func(verb string) (string, error) { return "heard " + verb, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	add(t, writer, session, 0, 1)
	seen := make(chan int64, 1000)
	go func() {
		defer close(seen)
		for e, err := range viewer.Follow(ctx, session, 1) {
			if err != nil {
				t.Errorf("follow: %v", err)
				return
			}
			if seen <- e.Number; e.Number == 400 {
				return
			}
		}
	}()
	var slowest time.Duration
	for after := int64(1); after < 400; after++ {
		if after == 200 {
			leader, err := c.KillLeader()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("killed %s", leader)
		}
		start := time.Now()
		if err := writer.Append(ctx, session, after, journaltest.Events(session, after, 1), journaltest.Summary(session, after+1)); err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		slowest = max(slowest, time.Since(start))
	}
	t.Logf("slowest append %v", slowest)
	if got, err := journaltest.Collect(viewer.Read(ctx, session, 1)); err != nil || len(got) != 400 {
		t.Errorf("%d events of 400, %v", len(got), err)
	}
	want := int64(1)
	for n := range seen {
		if n != want {
			t.Fatalf("followed to %d, want %d", n, want)
		}
		want++
	}
	if got, err := viewer.Sessions(ctx); err != nil || len(got) != 1 || got[0].Events != 400 {
		t.Errorf("sessions: %+v, %v", got, err)
	}
	if reply, err := viewer.Send(ctx, session, "stop"); err != nil || reply != "heard stop" {
		t.Errorf("send: %q, %v", reply, err)
	}
	clusterLive(t, ctx, writer, viewer)
}

// clusterLive wants what one writes to be seen by the other.
func clusterLive(t *testing.T, ctx context.Context, writer, viewer *jetstream.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for live := writer.Live(session); ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			live.Write([]byte("output"))
		}
	}()
	for out := range viewer.Watch(ctx, session, func() {}, nil) {
		if string(out.Data) == "output" {
			return
		}
	}
	t.Error("live output was not seen")
}

// One server is no cluster: each event is kept once, and that is said once.
func TestOneServer(t *testing.T) {
	c := startCluster(t, t.TempDir(), 1)
	said := make(chan string, 100)
	s := join(t, c.URLs(), jetstream.Session, func(text string) { said <- text })
	add(t, s, session, 0, 2)
	add(t, s, "20261215-214609-x7q2", 0, 2)
	checkWords(t, hears(t, said, "fewer than 3 servers: each event is kept once"))
	for len(said) > 0 { // that it waits it may say as well
		if more := <-said; strings.Contains(more, "kept once") {
			t.Errorf("said %q again", more)
		}
	}
	if got, err := s.Sessions(t.Context()); err != nil || len(got) != 2 {
		t.Errorf("%d sessions, %v", len(got), err)
	}
}

// hears waits until something is said. On a busy machine it is said at any time that the journal
// keeps somebody waiting.
func hears(t *testing.T, said <-chan string, want string) string {
	t.Helper()
	var others []string
	for giveUp := time.After(patience); ; {
		select {
		case text := <-said:
			if strings.Contains(text, want) {
				return text
			}
			others = append(others, text)
		case <-giveUp:
			t.Fatalf("said %q, and not %q", others, want)
		}
	}
}

func TestClusterThatCannotBeUsed(t *testing.T) {
	plain := startCluster(t, "", 1)
	gone := startCluster(t, "", 1)
	gone.Close()
	for name, tt := range map[string]struct{ engine, want string }{
		"nobody there":   {gone.URLs(), "no servers available"},
		"wrong password": {strings.ReplaceAll(plain.URLs(), clustertest.Password, clustertest.Password+"x"), "Authorization"},
		"no JetStream":   {plain.URLs(), "JetStream is not enabled"},
		"no address":     {"http://somebody:" + clustertest.Password + "@host", "neither embedded nor an address such as nats://host:4222"},
		"no address 2":   {"nats://somebody:" + clustertest.Password + "%@host", "neither embedded nor an address"},
	} {
		s, err := jetstream.Open(t.Context(), jetstream.Options{Dir: t.TempDir(), Engine: tt.engine})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "the journal's engine") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
			continue
		}
		checkWords(t, err.Error())
	}
}

func checkWords(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, clustertest.Password) {
		t.Errorf("the password is in %q", text)
	}
}

// All servers gone: a command fails within its wait, a session waits, notifies a person, and resumes.
func TestClusterIsAway(t *testing.T) {
	c := startCluster(t, t.TempDir(), 1)
	command := join(t, c.URLs(), jetstream.Short, nil)
	command.SetLimit(3 * time.Second)
	said := make(chan string, 100)
	s := join(t, c.URLs(), jetstream.Session, func(text string) { said <- text })
	add(t, s, session, 0, 1)
	hears(t, said, "kept once")
	c.Close()
	if _, err := command.Sessions(t.Context()); err == nil || !strings.Contains(err.Error(), "none of its servers can be reached") {
		t.Errorf("a command: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- s.Append(ctx, session, 1, journaltest.Events(session, 1, 1), journaltest.Summary(session, 2))
	}()
	hears(t, said, "waiting for the journal: none of its servers can be reached")
	if err := c.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	hears(t, said, "answers again")
	if _, err := journaltest.Collect(s.Read(ctx, "20261115-214609-none", 1)); !errors.Is(err, mulligan.ErrNoSession) {
		t.Error(err)
	}
}
