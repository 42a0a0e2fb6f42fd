package cli

import (
	"errors"
	"testing"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/journal/jetstream"
)

// TestStopWithoutAnAnswer: a session that ends before its answer is out was stopped.
func TestStopWithoutAnAnswer(t *testing.T) {
	for _, now := range []bool{false, true} {
		s := newScene(t)
		s.write(started())
		_, err := s.host.Serve(this, func(verb string) (string, error) {
			if verb != "ping" {
				s.host.Close()
			}
			return "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.app.stop(t.Context(), this, now); err != nil {
			t.Errorf("now is %v: %v", now, err)
		}
	}
}

// TestStopWhileStarting: one that does not hear yet is told when it does; one that nobody runs is not
// waited for.
func TestStopWhileStarting(t *testing.T) {
	s := newScene(t)
	s.write(started())
	if err := s.app.stop(t.Context(), this, false); !errors.Is(err, jetstream.ErrNotRunning) {
		t.Errorf("nobody runs it: %v", err)
	}
	lock := s.hold()
	defer lock.Unlock()
	said := make(chan error, 1)
	go func() { said <- s.app.stop(t.Context(), this, false) }()
	clock.Sleep(t.Context(), 20*sayAgain)
	heard := make(chan string, 10)
	_, err := s.host.Serve(this, func(verb string) (string, error) { heard <- verb; return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	for verb := range heard {
		if verb == "stop" {
			break
		}
	}
}

// TestHeld: a session is held by the process that has the lock and has noted so.
func TestHeld(t *testing.T) {
	s := newScene(t)
	sum := s.write(started())
	if s.app.held(sum) {
		t.Error("nobody was there")
	}
	lock := s.hold()
	if !s.app.held(sum) {
		t.Error("it is not held by who has the lock")
	}
	if s.app.held(mulligan.Summary{ID: other, Dir: s.dir}) {
		t.Error("another session is held")
	}
	if err := lock.Note("session " + this + ", process 999999999"); err != nil {
		t.Fatal(err)
	}
	if s.app.held(sum) {
		t.Error("it is held by keepers alone")
	}
	if err := errors.Join(lock.Note(holder(this)), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if s.app.held(sum) {
		t.Error("it is held by a note")
	}
}

// TestStopBetween: one that heard us once, and is there and does not listen when it is to be told, is told
// when it listens again.
func TestStopBetween(t *testing.T) {
	s := newScene(t)
	s.write(started())
	lock := s.hold()
	defer lock.Unlock()
	gone := make(chan struct{})
	leave := make(chan func(), 1)
	stop, err := s.host.Serve(this, func(string) (string, error) {
		(<-leave)() // before the answer is out
		close(gone)
		return "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	leave <- stop
	said := make(chan error, 1)
	go func() { said <- s.app.stop(t.Context(), this, false) }()
	<-gone
	clock.Sleep(t.Context(), 20*sayAgain)
	told := make(chan struct{}, 1)
	_, err = s.host.Serve(this, func(verb string) (string, error) {
		if verb == "stop" {
			told <- struct{}{}
		}
		return "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	select {
	case <-told:
	default:
		t.Error("it was not told")
	}
}

// TestStands: a session that ends while it is looked at has ended; its process is not gone.
func TestStands(t *testing.T) {
	s := newScene(t)
	before := s.write(started())
	_, err := s.host.Serve(this, func(string) (string, error) {
		s.write(ended(mulligan.Verified))
		s.host.Close()
		return "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	store, err := s.app.OpenJournal(t.Context(), jetstream.Short)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now, running, err := s.app.stands(t.Context(), store, before)
	if err != nil || running || now.Ended != mulligan.Verified {
		t.Errorf("it stands as %+v, running is %v, %v", now, running, err)
	}
}
