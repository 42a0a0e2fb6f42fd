package cli

import (
	"testing"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
)

// TestFollowerBetweenTwoHosts: whoever watches a session that is resumed sees it to its end, also where
// the process that hosted the journal ends at the moment when the old end is looked at.
func TestFollowerBetweenTwoHosts(t *testing.T) {
	a := &App{Environ: []string{"XDG_STATE_HOME=" + t.TempDir()}, Dir: t.TempDir()}
	host, err := a.open(t.Context(), jetstream.Session)
	if err != nil {
		t.Fatal(err)
	}
	ended := func(how mulligan.Ended) mulligan.SessionEnded {
		return mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: how}}
	}
	write := func(after int64, bodies ...mulligan.Body) {
		t.Helper()
		var events []mulligan.Event
		for i, b := range bodies {
			events = append(events, mulligan.Event{Number: after + int64(i) + 1, Time: time.Now(), Session: this, Body: b})
		}
		last := after + int64(len(bodies))
		if err := host.Append(t.Context(), this, after, events, mulligan.Summary{ID: this, Events: last}); err != nil {
			t.Fatal(err)
		}
	}
	write(0, mulligan.SessionStarted{}, ended(mulligan.Waiting))
	f := &follower{app: a, id: this}
	var seen []int64
	for e, err := range f.events(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, e.Number); e.Number == 2 {
			write(2, mulligan.SessionResumed{}, ended(mulligan.Verified))
			if err := host.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("it gave the events %v, and there are 4", seen)
	}
}
