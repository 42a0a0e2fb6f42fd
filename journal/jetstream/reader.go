package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/journal"
)

const (
	batchFrames = 1024
	batchBytes  = 4 << 20
)

// A reader goes through the frames of one session.
type reader struct {
	s       *Store
	session string
	month   string
	from    int64 // the first event that is asked for
	at      tip   // the last frame that was given
}

func (s *Store) reader(session string, from int64) (*reader, error) {
	month, ok := journal.Month(session)
	if !ok {
		return nil, fmt.Errorf("%q: %w", session, mulligan.ErrNoSession)
	}
	return &reader{s: s, session: session, month: month, from: from}, nil
}

// all gives every frame after the last that was given, up to the session's end. While one
// batch is decoded the next is fetched.
func (r *reader) all(ctx context.Context, yield func(mulligan.Event, error) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	coming := r.fetch(ctx, r.at.seq)
	for owed := 0; ; {
		b := <-coming
		if b.err != nil {
			return fmt.Errorf("read session %s: %w", r.session, b.err)
		}
		if len(b.frames) == 0 {
			return r.end(max(owed, b.pending))
		}
		if owed = b.pending; owed > 0 {
			coming = r.fetch(ctx, b.last)
		}
		for _, frame := range b.frames {
			if err := r.give(ctx, frame.Data, yield); err != nil {
				return err
			}
		}
		r.at.seq, r.at.id = b.last, frameID(r.session, b.frames[len(b.frames)-1].Data)
		if owed == 0 {
			return r.end(0)
		}
	}
}

// end notes where the session ends. Frames that are there and were not given are lost to
// the engine: that is damage, and not an end.
func (r *reader) end(pending int) error {
	if pending > 0 {
		return &journal.DamageError{Session: r.session, Number: r.at.number + 1, Err: fmt.Errorf("the store has %d frames more than it gives", pending)}
	}
	if r.at.seq == 0 {
		return fmt.Errorf("session %s: %w", r.session, mulligan.ErrNoSession)
	}
	r.s.setTip(r.session, r.at)
	return nil
}

// give yields the events of one frame that were asked for.
func (r *reader) give(ctx context.Context, frame []byte, yield func(mulligan.Event, error) bool) error {
	first := r.at.number + 1
	if last, ok := journal.LastNumber(frame); ok && last >= first && last < r.from {
		r.at.number = last
		return nil
	}
	events, err := journal.DecodeFrame(r.session, first, frame, r.s.artifacts)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Number >= r.from && !yield(e, nil) {
			return errStopped
		}
		r.at.number = e.Number
	}
	return nil
}

// A batch is some frames of a session, in order.
type batch struct {
	frames  []*nats.Msg
	last    uint64 // sequence of the last of them
	pending int    // how many there are after them
	err     error
}

// fetch asks for the frames after a sequence.
func (r *reader) fetch(ctx context.Context, after uint64) <-chan batch {
	got := make(chan batch, 1)
	go func() {
		var b batch
		ask, err := json.Marshal(map[string]any{
			"seq": after + 1, "next_by_subj": logSubject(r.month, r.session),
			"batch": batchFrames, "max_bytes": batchBytes,
			// A frame says itself what it has; its headers would cost as much as its data.
			"no_hdr": true,
		})
		if err == nil {
			err = r.s.link.try(ctx, func(ctx context.Context) error {
				b = r.s.collect(ctx, "$JS.API.DIRECT.GET."+streamOf(r.month), ask)
				return b.err
			})
		}
		b.err = err
		got <- b
	}()
	return got
}

// collect asks for a batch and takes its messages until the one that ends it.
func (s *Store) collect(ctx context.Context, subject string, ask []byte) batch {
	inbox := s.link.nc.NewInbox()
	sub, err := s.link.nc.SubscribeSync(inbox)
	if err != nil {
		return batch{err: err}
	}
	defer sub.Unsubscribe()
	if err := s.link.nc.PublishRequest(subject, inbox, ask); err != nil {
		return batch{err: err}
	}
	var b batch
	for {
		m, err := next(ctx, sub)
		if errors.Is(err, nats.ErrNoResponders) {
			return batch{} // the month has no stream
		}
		if err != nil {
			return batch{err: err}
		}
		switch status := m.Header.Get("Status"); status {
		case "":
			b.frames = append(b.frames, m)
		case "204":
			return b.closed(m)
		case "404":
			return batch{}
		default:
			return batch{err: fmt.Errorf("the journal's engine answers %s %s", status, m.Header.Get("Description"))}
		}
	}
}

// closed reads the message that ends a batch.
func (b batch) closed(end *nats.Msg) batch {
	var errPending, errLast error
	b.pending, errPending = strconv.Atoi(end.Header.Get("Nats-Num-Pending"))
	b.last, errLast = strconv.ParseUint(end.Header.Get("Nats-Last-Sequence"), 10, 64)
	if err := errors.Join(errPending, errLast); err != nil {
		b.err = fmt.Errorf("the journal's engine ends a batch without saying where: %w", err)
	}
	return b
}

// fetchTip asks where a session ends.
func (s *Store) fetchTip(ctx context.Context, session string) (tip, error) {
	month, _ := journal.Month(session)
	m, err := s.link.request(ctx, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + streamOf(month) + "." + logSubject(month, session)})
	if errors.Is(err, nats.ErrNoResponders) {
		return tip{}, nil
	}
	if err != nil {
		return tip{}, err
	}
	switch status := m.Header.Get("Status"); status {
	case "":
	case "404":
		return tip{}, nil
	default:
		return tip{}, fmt.Errorf("the journal's engine answers %s %s", status, m.Header.Get("Description"))
	}
	seq, err := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
	last, ok := journal.LastNumber(m.Data)
	if err != nil || !ok {
		return tip{}, fmt.Errorf("its last frame does not say which events it has: %w", errors.Join(err, errBadFrame))
	}
	return tip{seq: seq, number: last, id: m.Header.Get(headerID)}, nil
}

// errBadFrame is a message in the log that no mulligan wrote.
var errBadFrame = errors.New("it was not written by mulligan, or is damaged")
