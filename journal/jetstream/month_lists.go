package jetstream

import (
	"context"
	"slices"
	"sync"
	"time"

	"mulligan"
)

// A streamEnd tells which message of a stream is the last. A stream that has lost messages and got others since, as many
// as it lost, has another end.
type streamEnd struct {
	sequence uint64
	stored   time.Time
}

func (e streamEnd) equal(other streamEnd) bool {
	return e.sequence == other.sequence && e.stored.Equal(other.stored)
}

// monthLists has the last list of each month's sessions that a stream gave. It is safe for concurrent use.
type monthLists struct {
	mu     sync.Mutex
	months map[string]monthList
}

type monthList struct {
	found []mulligan.Summary
	end   streamEnd
}

func (l *monthLists) get(month string) (monthList, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, ok := l.months[month]
	return list, ok
}

func (l *monthLists) put(month string, list monthList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.months == nil {
		l.months = make(map[string]monthList)
	}
	l.months[month] = list
}

// listIfChanged is listFromStream, which it leaves out if the stream has got nothing since the last list.
func (s *Store) listIfChanged(ctx context.Context, month string) ([]mulligan.Summary, error) {
	if list, ok := s.lists.get(month); ok {
		info, err := s.fetchStreamInfo(ctx, month, nil)
		if err != nil {
			return nil, err
		}
		if info.end().equal(list.end) {
			return slices.Clone(list.found), nil
		}
	}
	found, end, err := s.listFromStream(ctx, month)
	if err == nil && end != (streamEnd{}) {
		s.lists.put(month, monthList{slices.Clone(found), end})
	}
	return found, err
}
