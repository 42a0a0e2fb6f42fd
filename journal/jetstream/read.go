package jetstream

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan"
)

// lookAgain is after how long a follower reads again though no event was announced.
const lookAgain = time.Second

// Read yields the events that are there.
func (s *Store) Read(ctx context.Context, session string, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		r, err := s.newReader(session, from)
		if err == nil {
			err = r.readAll(ctx, yield)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(mulligan.Event{}, err)
		}
	}
}

// Follow yields the events that are there and those that come. It ends without an error when ctx
// does.
func (s *Store) Follow(ctx context.Context, session string, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		err := s.followEvents(ctx, session, from, yield)
		if err != nil && !errors.Is(err, errStopped) && ctx.Err() == nil {
			yield(mulligan.Event{}, err)
		}
	}
}

// followEvents is Follow; its error is errStopped if the caller wants no more.
func (s *Store) followEvents(ctx context.Context, session string, from int64, yield func(mulligan.Event, error) bool) error {
	r, err := s.newReader(session, from)
	if err != nil {
		return err
	}
	// Listen before looking, so that nothing falls in between.
	news := make(chan *nats.Msg, 64)
	sub, err := s.conn.nc.ChanSubscribe(eventSubject(session, ">"), news)
	if err != nil {
		return s.conn.explainClosed(err)
	}
	defer sub.Unsubscribe()
	for {
		if err := r.readAll(ctx, yield); err != nil {
			return err
		}
		if s.mode == Viewer && s.Hosting() {
			return ErrHostGone
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.conn.gone:
			return s.conn.closeReason()
		case <-news:
			for len(news) > 0 { // one reading serves them all
				<-news
			}
		case <-time.After(lookAgain):
		}
	}
}

// errStopped means that the caller of a reader wants no more events.
var errStopped = errors.New("stopped")
