package jetstream

import (
	"context"
	"time"
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

// SetLimit says how long anything may take.
func (s *Store) SetLimit(d time.Duration) { s.conn.maxWait = d }

// SetAgain says after how long an unanswered request is sent again.
func (s *Store) SetAgain(d time.Duration) { s.conn.resendAfter = d }

// SocketFolders and MakePrivateFolder are what the place of a socket is found by.
var (
	SocketFolders     = socketFolders
	MakePrivateFolder = makePrivateFolder
)
