package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/journal"
)

// Sessions gives every session's newest summary: the one in the header of its last frame,
// so that it cannot differ from the events.
func (s *Store) Sessions(ctx context.Context) ([]mulligan.Summary, error) {
	months, err := s.months(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var all []mulligan.Summary
	for _, month := range months {
		found, err := s.sessionsOf(ctx, month)
		if err != nil {
			return nil, fmt.Errorf("list sessions of %s: %w", month, err)
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, journal.Older)
	return all, nil
}

func (s *Store) sessionsOf(ctx context.Context, month string) (found []mulligan.Summary, err error) {
	err = s.link.try(ctx, func(ctx context.Context) error {
		found, err = s.lastFrames(ctx, month)
		return err
	})
	return found, err
}

// lastFrames has the last message of every subject of a month's stream sent to us, without
// their data.
func (s *Store) lastFrames(ctx context.Context, month string) ([]mulligan.Summary, error) {
	nc, stream := s.link.nc, streamOf(month)
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	var made nats.ConsumerInfo
	err = s.api(ctx, "CONSUMER.CREATE."+stream, map[string]any{
		"stream_name": stream,
		"config": nats.ConsumerConfig{
			DeliverPolicy:     nats.DeliverLastPerSubjectPolicy,
			DeliverSubject:    sub.Subject,
			FilterSubject:     logSubject(month, "*"),
			AckPolicy:         nats.AckNonePolicy,
			HeadersOnly:       true,
			MemoryStorage:     true,
			InactiveThreshold: 5 * time.Second,
		},
	}, &made)
	if refused(err, codeStreamNotFound) {
		return nil, nil // dropped meanwhile
	}
	if err != nil {
		return nil, err
	}
	defer nc.Publish("$JS.API.CONSUMER.DELETE."+stream+"."+made.Name, nil)
	return summaries(ctx, sub, int(made.NumPending)+int(made.Delivered.Consumer))
}

func summaries(ctx context.Context, sub *nats.Subscription, n int) ([]mulligan.Summary, error) {
	found := make([]mulligan.Summary, 0, n)
	for range n {
		m, err := next(ctx, sub)
		if err != nil {
			return nil, err
		}
		var sum mulligan.Summary
		if err := json.Unmarshal([]byte(m.Header.Get(headerSummary)), &sum); err != nil {
			return nil, fmt.Errorf("%s: the summary in its last frame cannot be read: %w", m.Subject, errors.Join(err, errBadFrame))
		}
		found = append(found, sum)
	}
	return found, nil
}
