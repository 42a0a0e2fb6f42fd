package clock

import (
	"context"
	"testing"
	"time"
)

// TestSleepWallClock: a machine that was suspended during a wait does not wait its whole length after that,
// and one whose clock is set back waits no longer than it was meant to.
func TestSleepWallClock(t *testing.T) {
	const wait = 2 * time.Hour
	for name, c := range map[string]struct {
		jump time.Duration // of the clock on the wall, in the first nap
		naps int
	}{
		"nothing happens": {0, int(wait / maxNap)},
		"suspended":       {3 * time.Hour, 1},
		"for a while":     {time.Hour, int(wait/maxNap) / 2},
		"put back":        {-5 * time.Hour, int(wait / maxNap)},
	} {
		t.Run(name, func(t *testing.T) {
			var wall, running time.Duration
			naps := 0
			passed := func() (time.Duration, time.Duration) { return wall, running }
			sleepWallClock(t.Context(), wait, passed, func(_ context.Context, d time.Duration) {
				if naps++; naps == 1 {
					wall += c.jump
				}
				wall, running = wall+d, running+d
			})
			if naps != c.naps {
				t.Errorf("%d naps, want %d", naps, c.naps)
			}
		})
	}
}
