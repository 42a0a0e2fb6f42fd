package loop_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mulligan"
	"mulligan/loop"
	"mulligan/state"
)

// TestDoThatPanics: whoever brings something that panics is told so, and nobody else: the session
// notes it and goes on, in the same attempt.
func TestDoThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		s := w.session()
		var fault *loop.PanicError
		w.onTurn = func(int) {
			err := s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) { panic("a bug in a tool") })
			if !errors.As(err, &fault) {
				t.Errorf("the one who brought it was told %v", err)
			}
			err = s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) {
				return []mulligan.Body{mulligan.Told{Text: "still here"}}, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		if err := s.Start(id, planOf(0, "one"), mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Run(t.Context())
		if err != nil || o.Ended != mulligan.Verified || o.Iterations != 1 {
			t.Fatalf("%+v, %v", o, err)
		}
		if fault == nil || fault.Value != "a bug in a tool" {
			t.Errorf("the fault is %v", fault)
		}
		noted := slices.ContainsFunc(w.state(t).Notes, func(note string) bool {
			return strings.Contains(note, "mulligan panicked: a bug in a tool") && strings.Contains(note, "desk_test.go")
		})
		if !noted {
			t.Errorf("the notes are %q", w.state(t).Notes)
		}
	})
}

// TestSayingPanics: a fault while it is stored what somebody brought fails the iteration, and the
// one who brought it does not wait for ever.
func TestSayingPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		s := w.session()
		s.Redact = func(b mulligan.Body) mulligan.Body {
			if told, ok := b.(mulligan.Told); ok && told.Text == "poison" {
				panic("a bug in redaction")
			}
			return b
		}
		var fault *loop.PanicError
		w.onTurn = func(n int) {
			if n > 1 {
				return
			}
			err := s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) {
				return []mulligan.Body{mulligan.Told{Text: "poison"}}, nil
			})
			if !errors.As(err, &fault) {
				t.Errorf("the one who brought it was told %v", err)
			}
		}
		if err := s.Start(id, planOf(0, "one"), mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Run(t.Context())
		if err != nil || o.Ended != mulligan.Verified || o.Iterations != 2 {
			t.Fatalf("%+v, %v", o, err)
		}
	})
}
