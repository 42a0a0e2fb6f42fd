//go:build unix

package jetstream_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// A countedBody counts how often it is encoded.
type countedBody struct {
	mulligan.Noted
	encoded *atomic.Int64
}

func (b countedBody) MarshalJSON() ([]byte, error) {
	b.encoded.Add(1)
	return json.Marshal(b.Noted)
}

// A large event is encoded once, for the journal and for those who listen.
func TestLargeEventIsEncodedOnce(t *testing.T) {
	listening := func(t *testing.T) (*jetstream.Store, <-chan *nats.Msg) {
		s := open(t, t.TempDir(), jetstream.Session)
		l, err := s.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return s, hear(t, l.URL(), jetstream.EventSubjects)
	}
	for name, start := range map[string]func(*testing.T) (*jetstream.Store, <-chan *nats.Msg){
		"nobody listens": func(t *testing.T) (*jetstream.Store, <-chan *nats.Msg) {
			return open(t, t.TempDir(), jetstream.Session), nil
		},
		"a program listens": listening,
		"on a server": func(t *testing.T) (*jetstream.Store, <-chan *nats.Msg) {
			c := startCluster(t, t.TempDir(), 1)
			return join(t, c.URLs(), jetstream.Session, nil), hear(t, c.URLs(), jetstream.EventSubjects)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, told := start(t)
			events := journaltest.Events(session, 0, 2)
			var encoded [2]atomic.Int64
			for i, size := range []int{100 << 10, 600 << 10} {
				events[i].Body = countedBody{mulligan.Noted{Text: strings.Repeat("x", size)}, &encoded[i]}
			}
			if err := s.Append(t.Context(), session, 0, events, journaltest.Summary(session, 2)); err != nil {
				t.Fatal(err)
			}
			for i := range encoded {
				if n := encoded[i].Load(); n != 1 {
					t.Errorf("event %d was encoded %d times", i+1, n)
				}
			}
			for i, size := range []int{100 << 10, 300} {
				if told == nil {
					break
				}
				if m := nextMessage(t, told); len(m.Data) < size/2 || len(m.Data) > 2*size {
					t.Errorf("event %d is announced in %d bytes, want about %d", i+1, len(m.Data), size)
				}
			}
		})
	}
}
