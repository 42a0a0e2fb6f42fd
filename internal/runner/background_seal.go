package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mulligan/internal/clock"
)

const (
	// sealAfter is how long a session runs before it seals others: a short one does not, and the
	// start of none is held up.
	sealAfter = 10 * time.Second
	// sealPause is between two rounds.
	sealPause = time.Minute
	// maxSealed is how many sessions one round seals.
	maxSealed = 25
)

// sealInBackground seals the sessions of other days, a few at a time, while the agent of this one
// works. stop ends it, and waits for its end.
func (r *Runner) sealInBackground(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var sealing sync.WaitGroup
	sealing.Go(func() {
		for clock.Sleep(ctx, sealAfter); ctx.Err() == nil; clock.Sleep(ctx, sealPause) {
			if !r.journal.Hosting() {
				continue
			}
			if _, err := r.journal.Tidy(ctx, time.Now(), maxSealed); err != nil && ctx.Err() == nil {
				r.warn(fmt.Sprintf("old sessions could not be sealed, which `mulligan prune` tries again: %v", err))
				return
			}
		}
	})
	return func() {
		cancel()
		sealing.Wait()
	}
}
