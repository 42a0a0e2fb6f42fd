package workspace

import (
	"context"
	"time"
)

// lockPoll is how often a lock that another process holds is tried.
const lockPoll = 20 * time.Millisecond

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
