package jetstream

import (
	"context"
	"time"

	"mulligan"
	"mulligan/journal"
)

// BeginDrop does the first thing that dropping a month does, as a process that is killed
// right after it.
func (s *Store) BeginDrop(ctx context.Context, month string) error {
	info, err := s.fetchStreamInfo(ctx, month, nil)
	if err != nil {
		return err
	}
	info.Config["sealed"] = true
	return s.callAPI(ctx, "STREAM.UPDATE."+streamName(month), info.Config, &struct{}{})
}

// Subjects are those of a month's sessions.
func (s *Store) Subjects(ctx context.Context, month string) ([]string, error) {
	return s.listStoredOf(ctx, month)
}

// MarkLists changes the task of each session in the lists that the store has kept, so that these can be told from what the
// streams have.
func (s *Store) MarkLists(task string) {
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	for _, list := range s.lists.months {
		for i := range list.found {
			list.found[i].Task = task
		}
	}
}

// SetLimit says how long anything may take.
func (s *Store) SetLimit(d time.Duration) { s.conn.maxWait = d }

// SetAgain says after how long an unanswered request is sent again.
func (s *Store) SetAgain(d time.Duration) { s.conn.resendAfter = d }

// SocketFolders and MakePrivateFolder are what the place of a socket is found by.
var (
	SocketFolders     = socketFolders
	MakePrivateFolder = makePrivateFolder
)

// StoreFrame stores a frame of events, the first of a session, as Append does. It calls made whenever it
// has made the month's stream.
func (s *Store) StoreFrame(ctx context.Context, session string, events []mulligan.Event, sum mulligan.Summary, made func() error) error {
	frame, err := journal.EncodeFrame(events, s.artifactsOf(ctx, session))
	if err != nil {
		return err
	}
	m, err := newFrame(session, frame, sum)
	if err != nil {
		return err
	}
	m.Header.Set(headerAfter, "0")
	month, _ := journal.Month(session)
	_, err = s.storeMessage(ctx, m, func(ctx context.Context) error {
		if err := s.makeMonthStream(ctx, month); err != nil {
			return err
		}
		return made()
	})
	return err
}

// DropStream deletes a month's stream, as the end of dropping the month does.
func (s *Store) DropStream(ctx context.Context, month string) error {
	if err := s.callAPI(ctx, "STREAM.DELETE."+streamName(month), nil, &struct{}{}); err != nil {
		return err
	}
	return s.clearMonthFiles(ctx, month)
}
