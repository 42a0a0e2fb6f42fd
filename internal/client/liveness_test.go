package client

import (
	"errors"
	"testing"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/protocol"
	"mulligan/internal/worklock"
	"mulligan/journal/jetstream"
)

// TestStopWithoutAnAnswer: a session that ends before its answer is out was stopped.
func TestStopWithoutAnAnswer(t *testing.T) {
	for _, now := range []bool{false, true} {
		s := newScene(t)
		s.write(started())
		_, err := s.host.Serve(this, func(verb string) (string, error) {
			if verb != string(protocol.Ping) {
				s.host.Close()
			}
			return "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := New(s.env).Stop(t.Context(), this, now); err != nil {
			t.Errorf("now is %v: %v", now, err)
		}
	}
}

// TestStopWhileStarting: a process that does not listen yet is stopped when it does; a session that no process
// runs is not waited for.
func TestStopWhileStarting(t *testing.T) {
	s := newScene(t)
	s.write(started())
	if err := New(s.env).Stop(t.Context(), this, false); !errors.Is(err, jetstream.ErrNotRunning) {
		t.Errorf("no process runs it: %v", err)
	}
	lock := s.hold()
	defer lock.Unlock()
	said := make(chan error, 1)
	go func() { said <- New(s.env).Stop(t.Context(), this, false) }()
	clock.Sleep(t.Context(), 20*retryPause)
	heard := make(chan string, 10)
	_, err := s.host.Serve(this, func(verb string) (string, error) { heard <- verb; return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	for verb := range heard {
		if verb == string(protocol.Stop) {
			break
		}
	}
}

// TestHeld: a session is held by the process that has the lock and has noted so.
func TestHeld(t *testing.T) {
	s := newScene(t)
	sum := s.write(started())
	if s.liveness().IsHeld(sum) {
		t.Error("no process was there")
	}
	lock := s.hold()
	if !s.liveness().IsHeld(sum) {
		t.Error("it is not held by the process that has the lock")
	}
	if s.liveness().IsHeld(mulligan.Summary{ID: other, Dir: s.dir}) {
		t.Error("another session is held")
	}
	if err := lock.Note("session " + this + ", process 999999999"); err != nil {
		t.Fatal(err)
	}
	if s.liveness().IsHeld(sum) {
		t.Error("it is held by keepers alone")
	}
	if err := errors.Join(lock.Note(worklock.SessionNote(this)), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if s.liveness().IsHeld(sum) {
		t.Error("it is held by a note")
	}
}

// TestStopBetween: a process that answered once, and does not listen when it is to be told to stop, is
// told when it listens again.
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
	go func() { said <- New(s.env).Stop(t.Context(), this, false) }()
	<-gone
	clock.Sleep(t.Context(), 20*retryPause)
	told := make(chan struct{}, 1)
	_, err = s.host.Serve(this, func(verb string) (string, error) {
		if verb == string(protocol.Stop) {
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

// TestCurrentStatus: a session that ends while it is inspected has ended; its process is not gone.
func TestCurrentStatus(t *testing.T) {
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
	store, err := s.env.OpenJournal(t.Context(), jetstream.Short)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now, running, err := NewLiveness(s.env, store).CurrentStatus(t.Context(), before)
	if err != nil || running || now.Ended != mulligan.Verified {
		t.Errorf("it stands as %+v, running is %v, %v", now, running, err)
	}
}
