// Package clock is the machine's clock, with waits that a suspended machine does not prolong.
package clock

import (
	"context"
	"time"
)

// System is the machine's own clock. It implements mulligan.Clock, and is safe for concurrent use.
type System struct{}

// Now returns the current time.
func (System) Now() time.Time { return time.Now() }

// Sleep waits for d, or until ctx ends.
func (System) Sleep(ctx context.Context, d time.Duration) { Sleep(ctx, d) }

// Sleep waits until d has passed on the wall clock, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	began := time.Now()
	sleepWallClock(ctx, d, func() (wall, running time.Duration) {
		now := time.Now()
		return now.Round(0).Sub(began.Round(0)), now.Sub(began)
	}, nap)
}

// maxNap bounds how long it takes to notice that the machine was suspended and has woken up.
const maxNap = 20 * time.Second

// sleepWallClock sleeps until d has passed on the wall clock, or while the machine was running,
// whichever comes first. Timers stand still while a machine is suspended, and the rate limit that
// is waited for does not; a clock that is set back makes no wait longer.
func sleepWallClock(ctx context.Context, d time.Duration, passed func() (wall, running time.Duration), nap func(context.Context, time.Duration)) {
	for ctx.Err() == nil {
		wall, running := passed()
		left := d - max(wall, running)
		if left <= 0 {
			return
		}
		nap(ctx, min(left, maxNap))
	}
}

// nap waits for d on a timer, or until ctx ends.
func nap(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
