package client

import (
	"context"
	"errors"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/lockfile"
	"mulligan/internal/worklock"
)

// TestFollowerBetweenTwoHosts: a viewer of a session that is resumed sees it to its end, also if the
// process that hosted the journal ends at the moment when the old end is looked at.
func TestFollowerBetweenTwoHosts(t *testing.T) {
	s := newScene(t)
	s.write(started(), ended(mulligan.Waiting))
	f := New(s.env).Follow(this)
	var seen []int64
	for e, err := range f.Events(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, e.Number); e.Number == 2 {
			s.write(mulligan.SessionResumed{}, ended(mulligan.Verified))
			s.close()
		}
	}
	if len(seen) != 4 {
		t.Errorf("it gave the events %v, and there are 4", seen)
	}
}

// hold takes the workspace's lock and notes that this process works on the session, as one that runs it
// does.
func (s *scene) hold() *lockfile.File {
	s.t.Helper()
	state, err := s.env.StateDir()
	if err != nil {
		s.t.Fatal(err)
	}
	lock, err := lockfile.Lock(environ.Folders{State: state}.Lock(s.dir))
	if err == nil {
		err = lock.Note(worklock.SessionNote(this))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return lock
}

// TestFollowerOfASilentSession: a process that holds the session's workspace and does not answer, because
// it is starting or without a host of the journal, is not gone.
func TestFollowerOfASilentSession(t *testing.T) {
	for name, hosted := range map[string]bool{"with a host": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.write(started())
			lock := s.hold()
			if !hosted {
				s.close()
			}
			go func() {
				time.Sleep(3 * time.Second) // more than it takes to be thought gone
				if !hosted {
					s.open()
				}
				s.write(ended(mulligan.Verified))
			}()
			seen := 0
			for _, err := range New(s.env).Follow(this).Events(t.Context(), 1) {
				if err != nil {
					t.Fatal(err)
				}
				seen++
			}
			if seen != 2 {
				t.Errorf("it gave %d events", seen)
			}
			if err := lock.Unlock(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFollowerOfAGoneSession: a session that no process holds is gone, whichever process hosts the
// journal, also if a killed process left its note and its id is now that of a living one.
func TestFollowerOfAGoneSession(t *testing.T) {
	for name, hosted := range map[string]bool{"with a host": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.write(started())
			if err := s.hold().Unlock(); err != nil {
				t.Fatal(err)
			}
			if !hosted {
				s.close()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var last error
			for _, err := range New(s.env).Follow(this).Events(ctx, 1) {
				last = err
			}
			if !errors.Is(last, ErrGone) {
				t.Errorf("it ended with %v", last)
			}
		})
	}
}
