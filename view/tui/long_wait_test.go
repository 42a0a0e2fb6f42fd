//go:build !race

package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A night of waiting costs a drawing a minute until the last hour.
func TestALongWaitIsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := waitingScreen(8*time.Hour, Actions{})
		beats, began := 0, time.Now()
		for ; strings.Contains(s.content, "waiting"); beats++ {
			beatOf(s)
		}
		if most := 7*60 + 3600 + 10; beats > most {
			t.Errorf("%d drawings, want at most %d", beats, most)
		}
		if took := time.Since(began); took < 8*time.Hour || took > 8*time.Hour+time.Second {
			t.Errorf("the wait is over after %s", took)
		}
		if !strings.Contains(s.content, "agent local") {
			t.Errorf("the turn has not gone on:\n%s", s.content)
		}
	})
}
