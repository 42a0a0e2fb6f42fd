package client

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
)

// heardAll is a watcher to which all its output has come, and who has passed on none.
type heardAll []jetstream.Output

func (w heardAll) Watch(ctx context.Context, _ string, _ func(), settle <-chan func()) iter.Seq[jetstream.Output] {
	return func(yield func(jetstream.Output) bool) {
		settled := <-settle
		for _, out := range w {
			if !yield(out) {
				return
			}
		}
		settled()
		<-ctx.Done()
	}
}

// TestOutputAroundATurnsEnd: what a turn has printed comes before its end, and what a check prints after it, also where the
// end comes when none of it is shown yet.
func TestOutputAroundATurnsEnd(t *testing.T) {
	end := time.Now().Add(-time.Minute)
	heard := heardAll{
		{Data: []byte("turn 1"), Written: end.Add(-time.Second)},
		{Data: []byte("turn 2"), Written: end},
		{Data: []byte("check 1"), Written: end.Add(1)},
		{Data: []byte("check 2"), Written: end.Add(time.Second)},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	near := newEarshot()
	near.once.Do(func() { near.from = end.Add(-time.Hour); close(near.known) })
	f := &Follower{Live: make(chan []byte), near: near, gate: newOutputGate()}
	go f.pumpOutput(ctx, heard, near, f.gate)
	things := make(chan string)
	go func() {
		for data := range f.Live {
			if len(data) > 0 {
				things <- string(data)
			}
		}
	}()
	go func() {
		release := f.waitForOutput(ctx, mulligan.Event{Time: end, Body: mulligan.TurnEnded{}})
		things <- "end"
		release()
	}()
	var got []string
	for range 5 {
		select {
		case thing := <-things:
			got = append(got, thing)
		case <-ctx.Done():
		}
	}
	if want := []string{"turn 1", "turn 2", "end", "check 1", "check 2"}; !slices.Equal(got, want) {
		t.Errorf("it came as %q", got)
	}
}

// TestNoOutputAtATurnsEnd: an end is not held up where nothing comes live, or does not any more.
func TestNoOutputAtATurnsEnd(t *testing.T) {
	end := mulligan.Event{Time: time.Now(), Body: mulligan.TurnEnded{}}
	(&Follower{}).waitForOutput(t.Context(), end)()
	near := newEarshot()
	f := &Follower{near: near, gate: newOutputGate()}
	f.waitForOutput(t.Context(), end)() // it hears nothing yet
	near.once.Do(func() { near.from = end.Time.Add(-time.Hour); close(near.known) })
	close(f.gate.over)
	f.waitForOutput(t.Context(), end)()
}
