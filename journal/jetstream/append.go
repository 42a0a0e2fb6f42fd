package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/journal"
)

// The headers of a frame, which is one message.
const (
	headerID      = "Nats-Msg-Id"
	headerAfter   = "Nats-Expected-Last-Subject-Sequence"
	headerSummary = "Mulligan-Summary" // the session's after it, as JSON
)

// A tip is where a session ends.
type tip struct {
	seq    uint64 // of its last frame; 0 when there is none
	number int64  // of its last event
	id     string // of its last frame
}

// Append stores the events as one frame. It waits for a host as long as ctx lets it.
func (s *Store) Append(ctx context.Context, session string, after int64, events []mulligan.Event, sum mulligan.Summary) error {
	if err := journal.Check(session, after, events); err != nil {
		return err
	}
	large := announcedData{s.artifactsOf(ctx, session), map[string][]byte{}}
	frame, err := journal.EncodeFrame(events, large)
	if err != nil {
		return err
	}
	m, err := newFrame(session, frame, sum)
	if err != nil {
		return err
	}
	s.live.drain(ctx)
	if err := s.storeFrame(ctx, session, after, after+int64(len(events)), m); err != nil {
		return fmt.Errorf("append to session %s: %w", session, err)
	}
	s.marks.recordMark(session, after+int64(len(events)))
	s.announceEvents(session, events, frame, large.find)
	return nil
}

// newFrame makes the message that stores a frame.
func newFrame(session string, frame []byte, sum mulligan.Summary) (*nats.Msg, error) {
	month, _ := journal.Month(session)
	summary, err := encodeSummary(sum)
	if err != nil {
		return nil, fmt.Errorf("summary of session %s: %w", session, err)
	}
	m := nats.NewMsg(logSubject(month, session))
	m.Header.Set(headerID, frameID(session, frame))
	m.Header.Set(headerSummary, summary)
	m.Data = frame
	return m, nil
}

// frameID returns an id that tells a repeat of a frame from another writer's frame of the same
// number.
func frameID(session string, frame []byte) string {
	hash := sha256.Sum256(frame)
	return session + ":" + hex.EncodeToString(hash[:12])
}

// storeFrame stores a frame of the events after number after up to number last, once, however often
// it has to be sent. A writer whose view is stale gets mulligan.ErrStale.
func (s *Store) storeFrame(ctx context.Context, session string, after, last int64, m *nats.Msg) error {
	at, known := s.knownTip(session)
	if !known || at.number != after {
		at = tip{}
		if after > 0 || known || s.wasSealed(session) {
			var err error
			if at, err = s.fetchTip(ctx, session); err != nil {
				return err
			}
		}
	}
	for tries := 0; ; tries++ {
		if at.id == m.Header.Get(headerID) {
			s.setTip(session, at)
			return nil
		}
		if err := checkFollows(session, at, after); err != nil {
			return err
		}
		seq, err := s.publishFrame(ctx, session, at.seq, m)
		if err == nil && at.seq == 0 {
			err = s.checkNotStale(session, at, m.Header.Get(headerID))
		}
		if err == nil {
			s.setTip(session, tip{seq: seq, number: last, id: m.Header.Get(headerID)})
			return nil
		}
		dropping := isRefusal(err, server.JSStreamSealedErr)
		if dropping {
			err = s.finishDrop(ctx, session)
		}
		if err != nil && !isWrongLast(err) {
			return err
		}
		tried := at
		if at, err = s.fetchTip(ctx, session); err != nil {
			return err
		}
		if at == tried && !dropping {
			if err := s.waitForDecision(ctx, at.seq, tries); err != nil {
				return err
			}
		}
	}
}

// waitForDecision waits while the engine refuses a frame as not the last although it is. In a
// cluster an earlier frame may be on its way, or the leader is about to change; in a month that is
// dropped and made anew, two frames have the same place for a moment.
func (s *Store) waitForDecision(ctx context.Context, last uint64, tries int) error {
	if s.cluster == nil && tries > 10 {
		return fmt.Errorf("the journal's engine refuses frame %d, which is the last, as not the last", last)
	}
	return s.conn.pauseRetry(ctx)
}

// checkFollows returns an error unless events after number after are next at this tip.
func checkFollows(session string, at tip, after int64) error {
	switch {
	case at.number > after:
		return fmt.Errorf("it has events after %d, up to %d: %w", after, at.number, mulligan.ErrStale)
	case at.number < after:
		return &mulligan.GapError{Session: session, Want: at.number + 1, Got: after + 1}
	}
	return nil
}

// publishFrame sends a frame and waits until it is on the disk. It makes the month's stream only
// when it turns out to be missing, so that an append to an existing one costs one round trip.
func (s *Store) publishFrame(ctx context.Context, session string, after uint64, m *nats.Msg) (uint64, error) {
	month, _ := journal.Month(session)
	m.Header.Set(headerAfter, strconv.FormatUint(after, 10))
	return s.storeMessage(ctx, m, func(ctx context.Context) error { return s.makeMonthStream(ctx, month) })
}

// maxMakes is how often a stream is made for one message, if another process that tidies drops it each
// time before the message is there.
const maxMakes = 50

// storeMessage has a message stored and returns its sequence. It calls makeStream if there is no
// stream for it, and again if that is gone before the message is stored.
func (s *Store) storeMessage(ctx context.Context, m *nats.Msg, makeStream func(context.Context) error) (seq uint64, err error) {
	err = s.conn.retryLost(ctx, func(ctx context.Context) error {
		reply, err := s.requestMaking(ctx, m, makeStream)
		if err != nil {
			return err
		}
		seq, err = parseAck(reply.Data)
		return err
	})
	return seq, s.explainNoEngine(err)
}

// requestMaking sends a message, and makes its stream each time that no stream takes it, so that none
// has stored it. In a cluster a stream without a leader does not take it either: there retryLost tries
// again, with its pauses.
func (s *Store) requestMaking(ctx context.Context, m *nats.Msg, makeStream func(context.Context) error) (*nats.Msg, error) {
	most := maxMakes
	if s.cluster != nil {
		most = 1
	}
	reply, err := s.conn.requestOnce(ctx, m)
	for made := 0; made < most && errors.Is(err, nats.ErrNoResponders); made++ {
		if err := makeStream(ctx); err != nil {
			return nil, err
		}
		reply, err = s.conn.requestOnce(ctx, m)
	}
	return reply, err
}

// parseAck returns the sequence of a message that the engine has stored.
func parseAck(reply []byte) (uint64, error) {
	var ack struct {
		Seq uint64 `json:"seq"`
	}
	if err := decodeReply(reply, &ack); err != nil {
		return 0, err
	}
	if ack.Seq == 0 {
		return 0, fmt.Errorf("the journal's engine answers %.100q, which is no acknowledgement", reply)
	}
	return ack.Seq, nil
}

// knownTip returns the end of a session as this process knows it, without asking the engine.
func (s *Store) knownTip(session string) (tip, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.tips[session]
	return at, ok
}

// setTip remembers where a session ends.
func (s *Store) setTip(session string, at tip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tips[session] = at
}

const (
	maxSummary = 16 << 10 // a header's size is limited
	maxField   = 1 << 10
)

// encodeSummary returns a summary as a header. It cuts long texts: the header is for lists, and the
// events have the whole.
func encodeSummary(sum mulligan.Summary) (string, error) {
	data, err := json.Marshal(sum)
	if err == nil && len(data) > maxSummary {
		for _, field := range []*string{&sum.Task, &sum.Reason, &sum.Step, &sum.Dir, &sum.Root, &sum.Branch, &sum.Folder, &sum.Pipeline} {
			if len(*field) > maxField {
				*field = strings.ToValidUTF8((*field)[:maxField], "") + "…"
			}
		}
		data, err = json.Marshal(sum)
	}
	return string(data), err
}
