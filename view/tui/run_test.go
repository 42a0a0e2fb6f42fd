package tui_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mulligan"
	"mulligan/view/tui"
	"mulligan/view/viewtest"
)

const hang = time.Minute // a guard, not a measure

func stream(t *testing.T, name string) viewtest.Stream {
	t.Helper()
	for _, s := range viewtest.Streams() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no stream %q", name)
	return viewtest.Stream{}
}

// follow returns a stream's events and then waits, as for a session that still runs.
func follow(ctx context.Context, s viewtest.Stream) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		for e, err := range whole(s) {
			if !yield(e, err) {
				return
			}
		}
		<-ctx.Done()
	}
}

// whole gives a stream's events, and that these are all.
func whole(s viewtest.Stream) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		for _, b := range s.Beats {
			if b.Event.Body != nil && !yield(b.Event, nil) {
				return
			}
		}
	}
}

func context20(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	t.Cleanup(cancel)
	return ctx
}

// keyboard is an input on which nothing is typed but what the test types.
func keyboard(t *testing.T) (io.Reader, func(string)) {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return r, func(keys string) { _, _ = io.WriteString(w, keys) }
}

// terminal is an output that can be looked at while it is written.
type terminal struct {
	mu sync.Mutex
	b  strings.Builder
}

// shows waits until the text was written, or ctx is over.
func (o *terminal) shows(ctx context.Context, text string) {
	for ctx.Err() == nil && !strings.Contains(o.String(), text) {
		time.Sleep(5 * time.Millisecond)
	}
}

func (o *terminal) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *terminal) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func TestRunEndsWithTheSession(t *testing.T) {
	ctx := context20(t)
	in, _ := keyboard(t)
	var out terminal
	res, err := tui.Run(ctx, in, &out, tui.Feed{Events: whole(stream(t, "verified"))}, tui.Actions{}, tui.Options{})
	if err != nil || res.Detached || res.Outcome == nil || res.Outcome.Ended != mulligan.Verified {
		t.Fatalf("got %+v, %v", res, err)
	}
	if res.Snapshot.Task != "tasks/add.md" {
		t.Errorf("the last snapshot is of task %q", res.Snapshot.Task)
	}
	if s := out.String(); !strings.Contains(s, "tasks/add.md") || !strings.Contains(s, "\x1b[?1049h") || !strings.Contains(s, "\x1b[?1049l") {
		t.Errorf("the other screen was not taken and given back: %q", s)
	}
}

// An ending that a resumption follows is history.
func TestRunGoesOnAfterAResumption(t *testing.T) {
	ctx := context20(t)
	in, keys := keyboard(t)
	s := stream(t, "resumed")
	go func() {
		time.Sleep(time.Second)
		keys("q")
	}()
	res, err := tui.Run(ctx, in, io.Discard, tui.Feed{Events: follow(ctx, s)}, tui.Actions{}, tui.Options{})
	if err != nil || !res.Detached || res.Outcome != nil {
		t.Fatalf("got %+v, %v", res, err)
	}
}

// What comes after an ending may take long to be read: the sequence of events ends when there are no more.
func TestRunWaitsForWhatFollowsAnEnding(t *testing.T) {
	ctx := context20(t)
	in, _ := keyboard(t)
	events := func(yield func(mulligan.Event, error) bool) {
		for i, body := range []mulligan.Body{
			mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "make"}}}},
			mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Interrupted}},
			mulligan.SessionResumed{PID: 7},
			mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Verified}},
		} {
			if i == 2 {
				time.Sleep(600 * time.Millisecond) // several beats
			}
			if !yield(mulligan.Event{Number: int64(i + 1), Time: time.Now(), Body: body}, nil) {
				return
			}
		}
	}
	res, err := tui.Run(ctx, in, io.Discard, tui.Feed{Events: events}, tui.Actions{}, tui.Options{})
	if err != nil || res.Outcome == nil || res.Outcome.Ended != mulligan.Verified {
		t.Fatalf("got %+v, %v", res, err)
	}
}

// The process that resumes takes its time to record it: Past announces it.
func TestRunWaitsForTheResumptionThatWasAskedFor(t *testing.T) {
	ctx := context20(t)
	in, keys := keyboard(t)
	s := stream(t, "interrupted")
	past := s.Beats[len(s.Beats)-1].Event.Number
	go func() {
		time.Sleep(time.Second)
		keys("q")
	}()
	res, err := tui.Run(ctx, in, io.Discard, tui.Feed{Events: follow(ctx, s), Past: past}, tui.Actions{}, tui.Options{})
	if err != nil || !res.Detached || res.Outcome != nil {
		t.Fatalf("it ended with the old ending, before the person left: %+v, %v", res, err)
	}
}

func TestRunDetachesWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context20(t))
	in, _ := keyboard(t)
	var out terminal
	go func() {
		out.shows(ctx, "tasks/add.md")
		cancel()
	}()
	res, err := tui.Run(ctx, in, &out, tui.Feed{Events: follow(ctx, stream(t, "running"))}, tui.Actions{}, tui.Options{})
	if err != nil || !res.Detached {
		t.Fatalf("got %+v, %v", res, err)
	}
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Error("the terminal was not given back")
	}
}

func TestRunStops(t *testing.T) {
	ctx := context20(t)
	in, keys := keyboard(t)
	stop := make(chan bool, 2)
	events := func(yield func(mulligan.Event, error) bool) {
		for _, b := range stream(t, "running").Beats {
			if b.Event.Body != nil && !yield(b.Event, nil) {
				return
			}
		}
		keys("\x03")
		select {
		case <-stop:
			yield(mulligan.Event{Number: 99, Time: time.Now(), Body: mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Interrupted}}}, nil)
		case <-ctx.Done():
		}
	}
	res, err := tui.Run(ctx, in, io.Discard, tui.Feed{Events: events}, tui.Actions{Stop: func(now bool) error { stop <- now; return nil }}, tui.Options{})
	if err != nil || res.Detached || res.Outcome == nil || res.Outcome.Ended != mulligan.Interrupted {
		t.Fatalf("got %+v, %v", res, err)
	}
}

func TestRunTellsThatTheFeedBroke(t *testing.T) {
	ctx := context20(t)
	in, _ := keyboard(t)
	gap := &mulligan.GapError{Session: "s", Want: 2, Got: 4}
	events := func(yield func(mulligan.Event, error) bool) { yield(mulligan.Event{}, gap) }
	_, err := tui.Run(ctx, in, io.Discard, tui.Feed{Events: events}, tui.Actions{}, tui.Options{})
	if !errors.Is(err, gap) {
		t.Fatalf("got %v", err)
	}
}

// A flood of output must not keep the keys from working, nor the end from coming.
func TestRunUnderAFlood(t *testing.T) {
	ctx := context20(t)
	in, keys := keyboard(t)
	live := make(chan []byte)
	chunk := []byte(strings.Repeat("\x1b[32mok\x1b[0m and so on and on\r\n", 500))
	var sent atomic.Int64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case live <- chunk:
				sent.Add(int64(len(chunk)))
			case <-done:
				return
			}
		}
	}()
	var out terminal
	go func() {
		out.shows(ctx, "and so on")
		for seen := sent.Load(); ctx.Err() == nil && sent.Load() < seen+2<<20; {
			time.Sleep(5 * time.Millisecond)
		}
		keys("q")
	}()
	begun := time.Now()
	res, err := tui.Run(ctx, in, &out, tui.Feed{Events: follow(ctx, stream(t, "running")), Live: live}, tui.Actions{}, tui.Options{})
	took := time.Since(begun)
	close(done)
	if err != nil || !res.Detached {
		t.Fatalf("got %+v, %v", res, err)
	}
	// What is drawn goes by the time, not by the output: 15 screens a second, of which none is 4 kB.
	if most := int(took.Seconds()+1) * 15 * 4000; len(out.String()) > most || !strings.Contains(out.String(), "and so on") {
		t.Errorf("%d bytes of output made %d bytes of screen in %v", sent.Load(), len(out.String()), took)
	}
	if len(res.Snapshot.Lines) > 2001 {
		t.Errorf("%d lines are kept", len(res.Snapshot.Lines))
	}
}
