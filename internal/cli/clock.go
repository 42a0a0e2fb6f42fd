package cli

import (
	"context"
	"time"
)

// clock is the machine's own.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, d time.Duration) {
	began := time.Now()
	doze(ctx, d, func() (wall, running time.Duration) {
		now := time.Now()
		return now.Round(0).Sub(began.Round(0)), now.Sub(began)
	}, nap)
}

// mostNap is how long a machine that was suspended, and has woken up, is not noticed.
const mostNap = 20 * time.Second

// doze sleeps until d has passed on the clock on the wall, or while the machine was running,
// whichever comes first. Timers stand still while a machine is suspended, and the rate limit that
// is waited for does not; a clock that is put back makes no wait longer.
func doze(ctx context.Context, d time.Duration, passed func() (wall, running time.Duration), nap func(context.Context, time.Duration)) {
	for ctx.Err() == nil {
		wall, running := passed()
		left := d - max(wall, running)
		if left <= 0 {
			return
		}
		nap(ctx, min(left, mostNap))
	}
}

func nap(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
