package cli

import (
	"context"
	"fmt"
	"time"

	"mulligan/internal/clock"
)

const (
	// tidyAfter is how long a session runs before it tidies: what is short does not, and the
	// start of none is held up.
	tidyAfter = 10 * time.Second
	// tidyPause is between two rounds, tidyMost how many sessions one round seals.
	tidyPause = time.Minute
	tidyMost  = 25
)

// tidy seals the sessions of other days, a few at a time, while the agent of this one works.
// The function that it gives ends it.
func (h *house) tidy(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for clock.Sleep(ctx, tidyAfter); ctx.Err() == nil; clock.Sleep(ctx, tidyPause) {
			if !h.store.Hosting() {
				continue
			}
			if _, err := h.store.Tidy(ctx, time.Now(), tidyMost); err != nil && ctx.Err() == nil {
				h.warn(fmt.Sprintf("old sessions could not be sealed, which `mulligan prune` tries again: %v", err))
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
