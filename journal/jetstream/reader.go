package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/journal"
)

const (
	batchFrames = 1024
	batchBytes  = 4 << 20
	// behindWait is how long a server may be behind its leader before what it lacks counts
	// as lost.
	behindWait = 30 * time.Second
)

// A reader goes through the frames of one session.
type reader struct {
	s       *Store
	session string
	month   string
	from    int64 // the first event that is asked for
	at      tip   // the last frame that was given
	// unplaced means that the last event came from the archive, and that its place in the stream was not
	// asked for.
	unplaced bool
	sealed   int64 // events up to this one are given from the archive
	damage   error // why the archive's file cannot be read
}

// newReader returns a reader of a session from an event on.
func (s *Store) newReader(session string, from int64) (*reader, error) {
	month, ok := journal.Month(session)
	if !ok {
		return nil, fmt.Errorf("%q: %w", session, mulligan.ErrNoSession)
	}
	return &reader{s: s, session: session, month: month, from: from}, nil
}

// readAll yields every event after the last that it yielded, up to the session's end: first those
// that are sealed, then those of the stream. A month may be sealed and dropped meanwhile.
func (r *reader) readAll(ctx context.Context, yield func(mulligan.Event, error) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mark := r.s.marks.readMark(r.session) // before looking: it grows meanwhile
	for {
		before, _, err := r.s.findSealed(r.session)
		if err != nil {
			return err
		}
		more, err := r.readSealed(ctx, before, yield)
		if err == nil && more {
			err = r.readFrames(ctx, yield)
		}
		if err == nil {
			err = r.checkEnd(mark)
		}
		after, _, again := r.s.findSealed(r.session)
		if again != nil || after.SHA256 == before.SHA256 || errors.Is(err, errStopped) || ctx.Err() != nil {
			return errors.Join(err, again)
		}
		// What was missing may have been moved under our eyes.
	}
}

// readFrames yields the events of the stream after the last that was read. While it decodes one
// batch it fetches the next.
func (r *reader) readFrames(ctx context.Context, yield func(mulligan.Event, error) bool) error {
	newest, err := r.fetchNewest(ctx)
	if err != nil {
		return fmt.Errorf("read session %s: %w", r.session, err)
	}
	behind := time.Now().Add(behindWait)
	for coming := r.startFetch(ctx, r.at.seq); ; {
		b := <-coming
		if b.err != nil {
			return fmt.Errorf("read session %s: %w", r.session, b.err)
		}
		if len(b.frames) == 0 {
			if r.at.seq >= newest {
				return nil
			}
			if time.Now().After(behind) {
				return &journal.DamageError{Session: r.session, Number: r.at.number + 1, Err: errBehind}
			}
			clock.Sleep(ctx, r.s.conn.retryPause)
			coming = r.startFetch(ctx, r.at.seq)
			continue
		}
		done := b.end && r.s.cluster == nil // what comes later is for the next reading
		if behind = time.Now().Add(behindWait); !done {
			coming = r.startFetch(ctx, b.last)
		}
		for _, frame := range b.frames {
			if err := r.yieldFrame(ctx, frame.Data, yield); err != nil {
				return cmp.Or(r.damage, err)
			}
		}
		r.at.seq, r.at.id = b.last, frameID(r.session, b.frames[len(b.frames)-1].Data)
		if done {
			return nil
		}
	}
}

// fetchNewest asks a cluster where the session ends: batches may come from a server that is behind
// its leader, and are asked for until they reach that far.
func (r *reader) fetchNewest(ctx context.Context) (uint64, error) {
	if r.s.cluster == nil {
		return 0, nil
	}
	at, err := r.s.fetchTip(ctx, r.session)
	return at.seq, err
}

// checkEnd returns an error if the session was longer once, because the engine passes over what it
// cannot read; else it remembers the end.
func (r *reader) checkEnd(mark int64) error {
	if mark > r.at.number {
		return &journal.DamageError{Session: r.session, Number: r.at.number + 1, Err: fmt.Errorf("the store has lost it; the session had %d events", mark)}
	}
	if r.at.number == 0 {
		return cmp.Or(r.damage, fmt.Errorf("session %s: %w", r.session, mulligan.ErrNoSession))
	}
	if !r.unplaced {
		r.s.setTip(r.session, r.at)
	}
	return nil
}

// yieldFrame yields the events of one frame that the caller asked for.
func (r *reader) yieldFrame(ctx context.Context, frame []byte, yield func(mulligan.Event, error) bool) error {
	first := r.at.number + 1
	last, ok := journal.LastNumber(frame)
	if ok && last <= r.sealed {
		return nil
	}
	if ok && last >= first && last < r.from {
		r.at.number = last
		return nil
	}
	events, err := journal.DecodeFrame(r.session, first, frame, r.s.artifactsOf(ctx, r.session))
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
	frames []*nats.Msg
	last   uint64 // sequence of the last of them
	end    bool   // the server had no more when it sent them
	err    error
}

// startFetch asks for the frames after a sequence, in the background.
func (r *reader) startFetch(ctx context.Context, after uint64) <-chan batch {
	got := make(chan batch, 1)
	go func() {
		var b batch
		ask, err := json.Marshal(map[string]any{
			"seq": after + 1, "next_by_subj": logSubject(r.month, r.session),
			"batch": batchFrames, "max_bytes": batchBytes,
			// A frame has the events' numbers itself; its headers would cost as much as its data.
			"no_hdr": true,
		})
		if err == nil {
			err = r.s.conn.retryLost(ctx, func(ctx context.Context) error {
				b = r.s.collectBatch(ctx, "$JS.API.DIRECT.GET."+streamName(r.month), ask)
				return b.err
			})
		}
		b.err = err
		got <- b
	}()
	return got
}

// collectBatch asks for a batch and takes its messages until the one that ends it.
func (s *Store) collectBatch(ctx context.Context, subject string, ask []byte) batch {
	inbox := s.conn.nc.NewInbox()
	sub, err := s.conn.nc.SubscribeSync(inbox)
	if err != nil {
		return batch{err: err}
	}
	defer sub.Unsubscribe()
	if err := s.conn.nc.PublishRequest(subject, inbox, ask); err != nil {
		return batch{err: err}
	}
	var b batch
	for {
		m, err := nextMessage(ctx, sub, replyWait)
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
			b.last, b.err = strconv.ParseUint(m.Header.Get("Nats-Last-Sequence"), 10, 64)
			b.end = m.Header.Get("Nats-Num-Pending") == "0"
			return b
		case "404":
			return batch{}
		default:
			return batch{err: fmt.Errorf("the journal's engine answers %s %s", status, m.Header.Get("Description"))}
		}
	}
}

// fetchTip asks where a session ends, in the stream and in the archive.
func (s *Store) fetchTip(ctx context.Context, session string) (tip, error) {
	at, err := s.streamTip(ctx, session)
	if err != nil {
		return tip{}, err
	}
	sealed, _, err := s.findSealed(session)
	if sealed.Events > 0 && sealed.Events >= at.number {
		at.number, at.id = sealed.Events, sealed.Frame
	}
	return at, err
}

// streamTip asks where the part of a session ends that is in its month's stream.
func (s *Store) streamTip(ctx context.Context, session string) (tip, error) {
	m, err := s.fetchLastFrame(ctx, session)
	if m == nil || err != nil {
		return tip{}, err
	}
	last, ok := journal.LastNumber(m.Data)
	if !ok {
		return tip{}, fmt.Errorf("its last frame does not say which events it has: %w", errBadFrame)
	}
	return tip{seq: m.Sequence, number: last, id: m.Header.Get(headerID)}, nil
}

// errBadFrame is a message in the log that mulligan did not write.
var errBadFrame = errors.New("it was not written by mulligan, or is damaged")
