package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// headerError has what a session answered instead of a reply.
	headerError = "Mulligan-Error"
	// serverBack is how long a running session may take to find a new host.
	serverBack = 100 * time.Millisecond
)

// Serve answers what other processes Send to a session, until stop. Verbs are answered one
// at a time. A verb may come twice when a host goes: answering has to stand that.
func (s *Store) Serve(session string, answer func(verb string) (reply string, err error)) (stop func(), err error) {
	sub, err := s.link.nc.Subscribe(controlSubject(session), func(m *nats.Msg) {
		reply := nats.NewMsg(m.Reply)
		text, err := answer(string(m.Data))
		if err != nil {
			reply.Header.Set(headerError, strconv.QuoteToASCII(err.Error()))
		}
		reply.Data = []byte(text)
		// A reply that is lost with its connection is asked for again.
		_ = s.link.nc.PublishMsg(reply)
	})
	if err != nil {
		return nil, fmt.Errorf("serve session %s: %w", session, s.link.goneOr(err))
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// Send says a verb to the process that runs a session and gives its reply. ErrNotRunning
// means that there is none.
func (s *Store) Send(ctx context.Context, session, verb string) (reply string, err error) {
	ask := &nats.Msg{Subject: controlSubject(session), Data: []byte(verb)}
	giveUp := time.Now().Add(serverBack)
	for {
		var m *nats.Msg
		err := s.link.try(ctx, func(ctx context.Context) (err error) {
			m, err = s.link.request(ctx, ask)
			if errors.Is(err, nats.ErrNoResponders) {
				return errNobodyServes
			}
			return err
		})
		if err == nil {
			return readReply(m)
		}
		if !errors.Is(err, errNobodyServes) {
			return "", fmt.Errorf("send %s to session %s: %w", verb, session, err)
		}
		if time.Now().After(giveUp) {
			return "", fmt.Errorf("session %s: %w", session, ErrNotRunning)
		}
		time.Sleep(retryWait)
	}
}

// errNobodyServes is a verb that nobody heard, which no waiting for a leader changes.
var errNobodyServes = errors.New("nobody serves the session")

func readReply(m *nats.Msg) (string, error) {
	quoted := m.Header.Get(headerError)
	if quoted == "" {
		return string(m.Data), nil
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		text = quoted
	}
	return string(m.Data), errors.New(text)
}
