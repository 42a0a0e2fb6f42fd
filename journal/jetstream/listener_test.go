//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/journal"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// hear subscribes as any program would, and returns the messages.
func hear(t *testing.T, address, subject string) <-chan *nats.Msg {
	t.Helper()
	nc, err := nats.Connect(address, nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	told := make(chan *nats.Msg, 1000)
	if _, err := nc.ChanSubscribe(subject, told); err != nil {
		t.Fatal(err)
	}
	if err := nc.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
	return told
}

func nextMessage(t *testing.T, told <-chan *nats.Msg) *nats.Msg {
	t.Helper()
	select {
	case m := <-told:
		return m
	case <-time.After(patience):
		t.Fatal("nothing was told")
		return nil
	}
}

// sizes are events that a frame holds itself, that are an artifact, and that are too large
// to be told.
func sizes() []mulligan.Event {
	events := journaltest.Events(session, 0, 3)
	for i, size := range []int{10, 100 << 10, 600 << 10} {
		events[i].Body = mulligan.TaskCompleted{Task: mulligan.TaskItem{ID: i + 1, Content: strings.Repeat("x", size), Status: mulligan.Completed}}
	}
	return events
}

// checkTold wants the events as `log --json` prints them, but for the one that is too large.
func checkTold(t *testing.T, told <-chan *nats.Msg, events []mulligan.Event) {
	t.Helper()
	for i, e := range events {
		m := nextMessage(t, told)
		if want := "mulligan.events." + session + ".task.completed"; m.Subject != want {
			t.Errorf("event %d is told on %s, want %s", i+1, m.Subject, want)
		}
		want, err := journal.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if i < 2 && string(m.Data) != string(want) {
			t.Errorf("event %d is told as %.200q, want %.200q", i+1, m.Data, want)
		}
		if text := string(m.Data); i == 2 && (len(text) > 1000 || !strings.Contains(text, `"artifact":"`) || !strings.Contains(text, fmt.Sprintf(`"bytes":%d}`, 600<<10+len(`{"task":{"id":3,"content":"","status":"completed","priority":0}}`)))) {
			t.Errorf("the largest is told as %.300q", text)
		}
	}
}

// TestListen (H9): a plain client with the token hears what is appended, also where another
// process hosts the journal.
func TestListen(t *testing.T) {
	for _, role := range []string{"host", "client"} {
		dir := t.TempDir()
		s := open(t, dir, jetstream.Session)
		if role == "client" {
			s = open(t, dir, jetstream.Session)
		}
		if s.Hosting() != (role == "host") {
			t.Fatalf("the %s: hosting is %v", role, s.Hosting())
		}
		l, err := s.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		told := hear(t, l.URL(), jetstream.EventSubjects)
		ours := hear(t, l.URL(), "mulligan.events."+session+".task.completed")
		other := hear(t, l.URL(), "mulligan.events.20261115-000000-othr.>")
		events := sizes()
		if err := s.Append(t.Context(), session, 0, events, journaltest.Summary(session, 3)); err != nil {
			t.Fatal(err)
		}
		l.Close() // what was told last arrives all the same
		checkTold(t, told, events)
		checkTold(t, ours, events)
		if len(other) > 0 {
			t.Errorf("another session's listener hears %s", (<-other).Subject)
		}
		add(t, s, session, 3, 1)
	}
}

// On servers of one's own the subjects are the same.
func TestClusterTells(t *testing.T) {
	c := startCluster(t, t.TempDir(), 1)
	s := join(t, c.URLs(), jetstream.Session, nil)
	told := hear(t, c.URLs(), jetstream.EventSubjects)
	events := sizes()
	if err := s.Append(t.Context(), session, 0, events, journaltest.Summary(session, 3)); err != nil {
		t.Fatal(err)
	}
	checkTold(t, told, events)
}

func TestListenLetsNobodyElseIn(t *testing.T) {
	s := open(t, t.TempDir(), jetstream.Session)
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, where, _ := strings.Cut(l.URL(), "@")
	for _, address := range []string{"nats://" + where, "nats://wrong@" + where, "nats://a:b@" + where} {
		if nc, err := nats.Connect(address); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", address, err)
			if nc != nil {
				nc.Close()
			}
		}
	}
	if _, err := s.Listen("127.0.0.1:0"); err == nil {
		t.Error("a second listener")
	}
}

// A client with the token can hear events and nothing else.
func TestListenersOnlyListen(t *testing.T) {
	s := open(t, t.TempDir(), jetstream.Session)
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	told := hear(t, l.URL(), jetstream.EventSubjects)
	refusals := make(chan error, 10)
	nc, err := nats.Connect(l.URL(), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refusals <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for what, try := range map[string]func() error{
		"publish an event":     func() error { return nc.Publish("mulligan.events."+session+".noted", []byte("x")) },
		"publish a verb":       func() error { return nc.Publish("mulligan.control."+session, []byte("stop")) },
		"ask the engine":       func() error { return nc.PublishRequest("$JS.API.INFO", nc.NewInbox(), nil) },
		"hear everything":      func() error { _, err := nc.SubscribeSync(">"); return err },
		"hear the live output": func() error { _, err := nc.SubscribeSync("mulligan.live.>"); return err },
	} {
		if err := try(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		select {
		case err := <-refusals:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(patience):
			t.Errorf("%s: not refused", what)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if m, err := nc.RequestWithContext(ctx, "$JS.API.STREAM.NAMES", nil); err == nil {
		t.Errorf("the engine answers %q", m.Data)
	}
	if len(told) > 0 {
		t.Errorf("a listener was told %q", (<-told).Data)
	}
}

// A client that does not read holds up no append.
func TestListenerThatDoesNotRead(t *testing.T) {
	s := open(t, t.TempDir(), jetstream.Session)
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	token, where, _ := strings.Cut(strings.TrimPrefix(l.URL(), "nats://"), "@")
	c, err := net.Dial("tcp", where)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "CONNECT {\"verbose\":false,\"auth_token\":%q}\r\nSUB %s 1\r\n", token, jetstream.EventSubjects)
	told := hear(t, l.URL(), jetstream.EventSubjects)
	for i := range int64(80) {
		events := journaltest.Events(session, i, 1)
		events[0].Body = mulligan.Noted{Text: strings.Repeat("x", 400<<10)}
		if err := s.Append(t.Context(), session, i, events, journaltest.Summary(session, i+1)); err != nil {
			t.Fatal(err)
		}
		nextMessage(t, told) // one that reads is told all
	}
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:4222": "127.0.0.1 4222", "[::1]:0": "::1 0", "localhost:65535": "127.0.0.1 65535", "127.9.9.9:1": "127.9.9.9 1",
		"0.0.0.0:4222": "other machines", ":4222": "other machines", "[::]:1": "other machines", "192.168.0.1:1": "other machines",
		"example.com:1": "other machines", "127.0.0.1": "with a port", "": "with a port", "127.0.0.1:65536": "a number", "127.0.0.1:-1": "a number", "127.0.0.1:x": "a number",
	} {
		host, port, err := jetstream.Loopback(address)
		got := fmt.Sprint(host, " ", port)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", address, got, want)
		}
	}
}

func TestListenWhereSomebodyDoes(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := open(t, t.TempDir(), jetstream.Session)
	if _, err := s.Listen(taken.Addr().String()); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("%v", err)
	}
}
