package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/journal"
)

const (
	batchFrames = 1024
	batchBytes  = 4 << 20
	// lookAgain is after how long a follower that was told nothing looks by itself.
	lookAgain = time.Second
)

// A reader goes through the frames of one session.
type reader struct {
	s       *Store
	session string
	month   string
	from    int64  // the first event that is asked for
	next    int64  // the number that the next frame begins with
	seq     uint64 // of the last frame that was read
	id      string // of that frame
}

// Read gives the events that are there.
func (s *Store) Read(ctx context.Context, session string, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		r, err := s.reader(session, from)
		if err != nil {
			yield(mulligan.Event{}, err)
			return
		}
		if err := r.all(ctx, yield); err != nil && !errors.Is(err, errStopped) {
			yield(mulligan.Event{}, err)
		}
	}
}

// Follow gives the events that are there and those that come. It ends without an error
// when ctx does.
func (s *Store) Follow(ctx context.Context, session string, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		err := s.follow(ctx, session, from, yield)
		if err != nil && !errors.Is(err, errStopped) && ctx.Err() == nil {
			yield(mulligan.Event{}, err)
		}
	}
}

func (s *Store) follow(ctx context.Context, session string, from int64, yield func(mulligan.Event, error) bool) error {
	r, err := s.reader(session, from)
	if err != nil {
		return err
	}
	// Listen before looking, so that nothing falls in between.
	news := make(chan *nats.Msg, 64)
	sub, err := s.link.nc.ChanSubscribe(eventSubject(session, ">"), news)
	if err != nil {
		return s.closedOr(err)
	}
	defer sub.Unsubscribe()
	for {
		if err := r.all(ctx, yield); err != nil {
			return err
		}
		if s.mode == Viewer && s.Hosting() {
			return ErrHostGone
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.link.gone:
			return ErrHostGone
		case <-news:
			drain(news)
		case <-time.After(lookAgain):
		}
	}
}

func drain(news <-chan *nats.Msg) {
	for {
		select {
		case <-news:
		default:
			return
		}
	}
}

// closedOr names the error of a link that has no connection any more.
func (s *Store) closedOr(err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) {
		return ErrHostGone
	}
	return err
}

// errStopped is a reader's caller who wants no more.
var errStopped = errors.New("stopped")

func (s *Store) reader(session string, from int64) (*reader, error) {
	month, ok := journal.Month(session)
	if !ok {
		return nil, fmt.Errorf("%q: %w", session, mulligan.ErrNoSession)
	}
	return &reader{s: s, session: session, month: month, from: from, next: 1}, nil
}

// all gives every frame after the last that was given, up to the session's end.
func (r *reader) all(ctx context.Context, yield func(mulligan.Event, error) bool) error {
	for {
		frames, pending, err := r.s.batch(ctx, r.month, r.session, r.seq+1)
		if err != nil {
			return fmt.Errorf("read session %s: %w", r.session, err)
		}
		if len(frames) == 0 {
			return r.end(pending)
		}
		for _, frame := range frames {
			if err := r.give(ctx, frame, yield); err != nil {
				return err
			}
		}
		if pending == 0 {
			return r.end(0)
		}
	}
}

// end notes where the session ends. Frames that are there and were not given are lost to
// the engine: that is damage, and not an end.
func (r *reader) end(pending int) error {
	if pending > 0 {
		return &journal.DamageError{Session: r.session, Number: r.next, Err: fmt.Errorf("the store has %d frames more than it gives", pending)}
	}
	if r.seq == 0 {
		return fmt.Errorf("session %s: %w", r.session, mulligan.ErrNoSession)
	}
	r.s.setTip(r.session, tip{seq: r.seq, number: r.next - 1, id: r.id})
	return nil
}

func (r *reader) give(ctx context.Context, frame *nats.Msg, yield func(mulligan.Event, error) bool) error {
	seq, err := strconv.ParseUint(frame.Header.Get(nats.JSSequence), 10, 64)
	if err != nil {
		return &journal.DamageError{Session: r.session, Number: r.next, Err: fmt.Errorf("its frame has no sequence: %w", err)}
	}
	first, last, ok := numbers(frame)
	if ok && first != r.next {
		return &mulligan.GapError{Session: r.session, Want: r.next, Got: first}
	}
	if ok && last < r.from {
		r.next, r.seq, r.id = last+1, seq, frame.Header.Get(headerID)
		return nil
	}
	events, err := journal.DecodeFrame(r.session, r.next, frame.Data, r.s.artifacts)
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
	}
	r.next, r.seq, r.id = r.next+int64(len(events)), seq, frame.Header.Get(headerID)
	return nil
}

// batch gives the frames of a session from a sequence on, and how many there are after them.
func (s *Store) batch(ctx context.Context, month, session string, seq uint64) (frames []*nats.Msg, pending int, err error) {
	ask, err := json.Marshal(map[string]any{
		"seq": seq, "next_by_subj": logSubject(month, session), "batch": batchFrames, "max_bytes": batchBytes,
	})
	if err != nil {
		return nil, 0, err
	}
	err = s.link.try(ctx, func(ctx context.Context) error {
		frames, pending, err = s.collect(ctx, "$JS.API.DIRECT.GET."+streamOf(month), ask)
		return err
	})
	return frames, pending, err
}

// collect asks for a batch and takes its messages until the one that says how many are left.
func (s *Store) collect(ctx context.Context, subject string, ask []byte) ([]*nats.Msg, int, error) {
	inbox := s.link.nc.NewInbox()
	sub, err := s.link.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, 0, err
	}
	defer sub.Unsubscribe()
	if err := s.link.nc.PublishRequest(subject, inbox, ask); err != nil {
		return nil, 0, err
	}
	var frames []*nats.Msg
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrNoResponders) {
			return nil, 0, nil // the month has no stream
		}
		if err != nil {
			n, b, _ := sub.Pending()
			d, _ := sub.Dropped()
			println("BATCH", string(ask), len(frames), err.Error(), n, b, d)
			return nil, 0, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
			frames = append(frames, m)
		case "204":
			pending, err := strconv.Atoi(m.Header.Get("Nats-Num-Pending"))
			return frames, pending, err
		case "404":
			return nil, 0, nil
		default:
			return nil, 0, fmt.Errorf("the journal's engine answers %s %s", status, m.Header.Get("Description"))
		}
	}
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
	_, last, ok := numbers(m)
	if err != nil || !ok {
		return tip{}, fmt.Errorf("its last frame does not say which events it has: %w", errors.Join(err, errBadFrame))
	}
	return tip{seq: seq, number: last, id: m.Header.Get(headerID)}, nil
}

// errBadFrame is a message in the log that no mulligan wrote.
var errBadFrame = errors.New("it was not written by mulligan, or is damaged")
