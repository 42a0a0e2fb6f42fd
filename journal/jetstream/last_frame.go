package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"mulligan/journal"
)

// fetchLastFrame returns a session's last frame, or nil if there is none.
func (s *Store) fetchLastFrame(ctx context.Context, session string) (*nats.RawStreamMsg, error) {
	month, _ := journal.Month(session)
	if s.cluster != nil {
		return s.fetchLastFromLeader(ctx, streamName(month), logSubject(month, session))
	}
	var got *nats.RawStreamMsg
	err := s.conn.retryLost(ctx, func(ctx context.Context) error {
		m, err := s.conn.requestOnce(ctx, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + streamName(month) + "." + logSubject(month, session)})
		if errors.Is(err, nats.ErrNoResponders) {
			return nil
		}
		if err == nil {
			got, err = parseDirectGet(m)
		}
		return err
	})
	return got, err
}

// parseDirectGet reads the answer to a direct get, which is nil if there is no such message.
func parseDirectGet(m *nats.Msg) (*nats.RawStreamMsg, error) {
	switch status := m.Header.Get("Status"); status {
	case "":
	case "404":
		return nil, nil
	default:
		return nil, fmt.Errorf("the journal's engine answers %s %s", status, m.Header.Get("Description"))
	}
	seq, err := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the journal's engine gives a frame without its place: %w", err)
	}
	return &nats.RawStreamMsg{Sequence: seq, Header: m.Header, Data: m.Data}, nil
}

// fetchLastFromLeader asks the leader of a stream for the last message of a subject; nil if there is
// none. A direct get may be answered by a server that is behind the others.
func (s *Store) fetchLastFromLeader(ctx context.Context, stream, subject string) (*nats.RawStreamMsg, error) {
	var got struct {
		Message server.StoredMsg `json:"message"`
	}
	err := s.callAPI(ctx, "STREAM.MSG.GET."+stream, map[string]string{"last_by_subj": subject}, &got)
	if isRefusal(err, server.JSNoMessageFoundErr, server.JSStreamNotFoundErr) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &nats.RawStreamMsg{Sequence: got.Message.Sequence, Data: got.Message.Data}
	if len(got.Message.Header) > 0 {
		m.Header, err = nats.DecodeHeadersMsg(got.Message.Header)
	}
	return m, err
}
