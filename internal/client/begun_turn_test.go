package client

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mulligan"
)

// newTurn returns a turn whose log has a text.
func newTurn(t *testing.T, number int, text string) mulligan.TurnStarted {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return mulligan.TurnStarted{Turn: number, Log: log}
}

// TestFollowerShowsWhatItDidNotHear: a viewer that comes when turns have begun, and even ended, gets what they
// printed, each between its own events; of the turns before those that it is to show it gets nothing.
func TestFollowerShowsWhatItDidNotHear(t *testing.T) {
	for name, c := range map[string]struct {
		seen int64
		want []any
	}{
		"from the start":  {0, []any{1, 2, "old", 3, 4, "new", 5}},
		"from the second": {3, []any{1, 2, 3, 4, "new", 5}},
		"from the end":    {4, []any{1, 2, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.write(started(), newTurn(t, 1, "old"), mulligan.TurnEnded{Turn: 1}, newTurn(t, 2, "new"), ended(mulligan.Verified))
			f := New(s.env).Follow(this)
			f.Live, f.Seen = make(chan []byte), c.seen
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for i, want := range followAll(ctx, f) {
				if i >= len(c.want) || want != c.want[i] {
					t.Errorf("thing %d is %v; all should be %v", i+1, want, c.want)
				}
			}
		})
	}
}

// followAll returns the numbers of a session's events, and among them what was printed, in the order in which
// a viewer gets them.
func followAll(ctx context.Context, f *Follower) []any {
	things := make(chan any)
	go func() {
		defer close(things)
		for e, err := range f.Events(ctx, 1) {
			if err != nil {
				things <- err
				return
			}
			things <- int(e.Number)
		}
	}()
	var all []any
	for {
		select {
		case thing, ok := <-things:
			if !ok {
				return all
			}
			all = append(all, thing)
		case data := <-f.Live:
			if len(data) > 0 {
				all = append(all, string(data))
			}
		}
	}
}

// TestFollowerHearsOnce: what a turn prints while a viewer comes is shown once, whether the log or the host
// has it for them.
func TestFollowerHearsOnce(t *testing.T) {
	s := newScene(t)
	turn := newTurn(t, 1, "early ")
	s.write(started(), turn)
	lock := s.hold()
	defer lock.Unlock()
	stop, err := s.host.Serve(this, func(string) (string, error) { return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	f := New(s.env).Follow(this)
	f.Live = make(chan []byte)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		for range f.Events(ctx, 1) {
			continue
		}
	}()
	if got := string(<-f.Live) + string(<-f.Live); got != "early " {
		t.Fatalf("first it showed %q", got)
	}
	// Now it hears, and no word is lost.
	if _, err := s.host.Live(this).Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-f.Live:
		if string(got) != "late" {
			t.Errorf("then it showed %q", got)
		}
	case <-ctx.Done():
		t.Error("it heard nothing more")
	}
}

// TestFollowerLosesHost: a viewer whose host goes before it can hear does not wait for it.
func TestFollowerLosesHost(t *testing.T) {
	near := newEarshot()
	near.giveUp()
	if !near.wait(t.Context(), time.Now().Add(time.Hour)) {
		t.Error("a viewer that hears nothing misses nothing")
	}
	near.reach()
	if !near.from.IsZero() {
		t.Error("a viewer that had given up hears")
	}

	s := newScene(t)
	s.write(started(), newTurn(t, 1, "all"))
	f := New(s.env).Follow(this)
	f.Live = make(chan []byte)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := followAll(ctx, f)
	if len(got) != 4 || got[2] != "all" {
		t.Fatalf("it gave %v", got)
	}
	if err, _ := got[3].(error); !errors.Is(err, ErrGone) {
		t.Errorf("it ended with %v", err)
	}
}
