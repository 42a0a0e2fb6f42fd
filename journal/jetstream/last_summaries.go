package jetstream

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"mulligan"
)

// listWait is how long the next summary may take before the sessions are asked for one by
// one: the engine stands still in front of a frame that it cannot read.
const listWait = time.Second

// listBytes is how much of the last messages of a month's subjects is asked for with their data. For more, and for what
// cannot be read, the engine is asked for the headers alone, which takes it longer to begin with.
const listBytes = 512 << 10

// fetchLastSummaries returns the summaries in the last messages of a month's subjects, and the last of these messages.
func (s *Store) fetchLastSummaries(ctx context.Context, month string) ([]mulligan.Summary, streamEnd, error) {
	if s.cluster == nil { // the servers of others may be older than the request
		if found, end, ok := s.fetchLastFrames(ctx, month); ok {
			return found, end, nil
		}
	}
	return s.fetchLastHeaders(ctx, month)
}

// fetchLastFrames has the engine send the last message of every subject of a month's stream. ok is false if it has not sent
// them all, or not all can be read.
func (s *Store) fetchLastFrames(ctx context.Context, month string) (found []mulligan.Summary, end streamEnd, ok bool) {
	ask, err := json.Marshal(map[string]any{"multi_last": []string{logSubject(month, "*")}, "batch": batchFrames, "max_bytes": listBytes})
	if err != nil {
		return nil, streamEnd{}, false
	}
	b := s.collectBatch(ctx, "$JS.API.DIRECT.GET."+streamName(month), ask)
	if b.err != nil || !b.end {
		return nil, streamEnd{}, false
	}
	for _, m := range b.frames {
		sum, unread := readSummary(m.Header)
		sequence, unplaced := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
		stored, undated := time.Parse(time.RFC3339Nano, m.Header.Get(nats.JSTimeStamp))
		if unread != nil || unplaced != nil || undated != nil {
			return nil, streamEnd{}, false
		}
		if sequence > end.sequence {
			end = streamEnd{sequence, stored}
		}
		found = append(found, sum)
	}
	return found, end, true
}

// fetchLastHeaders has the engine send the last message of every subject of a month's stream,
// without their data. It returns the summaries and the last of the messages.
func (s *Store) fetchLastHeaders(ctx context.Context, month string) ([]mulligan.Summary, streamEnd, error) {
	nc, stream := s.conn.nc, streamName(month)
	inbox, got, done := nc.NewInbox(), make(chan *nats.Msg), make(chan struct{})
	defer close(done)
	sub, err := nc.Subscribe(inbox, func(m *nats.Msg) {
		select {
		case got <- m:
		case <-done:
		}
	})
	if err != nil {
		return nil, streamEnd{}, err
	}
	defer sub.Unsubscribe()
	if err := sub.SetPendingLimits(-1, -1); err != nil { // as many as the month has sessions
		return nil, streamEnd{}, err
	}
	var made nats.ConsumerInfo
	err = s.callAPI(ctx, "CONSUMER.CREATE."+stream, map[string]any{
		"stream_name": stream,
		"config": nats.ConsumerConfig{
			DeliverPolicy:     nats.DeliverLastPerSubjectPolicy,
			DeliverSubject:    inbox,
			FilterSubject:     logSubject(month, "*"),
			AckPolicy:         nats.AckNonePolicy,
			HeadersOnly:       true,
			MemoryStorage:     true,
			InactiveThreshold: 5 * time.Second,
		},
	}, &made)
	if isRefusal(err, server.JSStreamNotFoundErr) {
		return nil, streamEnd{}, nil // dropped meanwhile
	}
	if err != nil {
		return nil, streamEnd{}, err
	}
	defer nc.Publish("$JS.API.CONSUMER.DELETE."+stream+"."+made.Name, nil)
	return s.receiveSummaries(ctx, got, int(made.NumPending)+int(made.Delivered.Consumer))
}

// receiveSummaries waits for n messages; errStalled if one does not come or cannot be read.
func (s *Store) receiveSummaries(ctx context.Context, got <-chan *nats.Msg, n int) (found []mulligan.Summary, end streamEnd, err error) {
	found = make([]mulligan.Summary, 0, n)
	for range n {
		var m *nats.Msg
		select {
		case m = <-got:
		case <-ctx.Done():
			return nil, streamEnd{}, ctx.Err()
		case <-s.conn.gone:
			return nil, streamEnd{}, nats.ErrConnectionClosed
		case <-time.After(listWait):
			return nil, streamEnd{}, errStalled
		}
		sum, err := readSummary(m.Header)
		if err != nil {
			return nil, streamEnd{}, errStalled // listOneByOne finds out which
		}
		if place, err := m.Metadata(); err == nil && place.Sequence.Stream > end.sequence {
			end = streamEnd{place.Sequence.Stream, place.Timestamp}
		}
		found = append(found, sum)
	}
	return found, end, nil
}
