package jetstream_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// storeDropped stores the first frame of a session. Another process drops the month's stream so many
// times, each time just after it was made. It returns how often it was made.
func storeDropped(t *testing.T, s, another *jetstream.Store, drops int) (made int, err error) {
	t.Helper()
	err = s.StoreFrame(t.Context(), session, journaltest.Events(session, 0, 2), journaltest.Summary(session, 2), func() error {
		if made++; made > drops {
			return nil
		}
		return another.DropStream(t.Context(), "202611")
	})
	return made, err
}

// A month that another process drops between its making and the storing of the frame is made again,
// and the frame is stored once.
func TestStreamIsGoneAgain(t *testing.T) {
	for _, role := range []string{"host", "client"} {
		t.Run(role, func(t *testing.T) {
			dir := t.TempDir()
			s, another := open(t, dir, jetstream.Session), open(t, dir, jetstream.Session)
			if role == "client" {
				s, another = another, s
			}
			for _, drops := range []int{0, 1, 5, 49} {
				if made, err := storeDropped(t, s, another, drops); err != nil || made != drops+1 {
					t.Errorf("dropped %d times: made %d times, %v", drops, made, err)
				}
				if got, err := journaltest.Collect(another.Read(t.Context(), session, 1)); err != nil || len(got) != 2 {
					t.Errorf("dropped %d times: %d events of 2, %v", drops, len(got), err)
				}
				if err := another.DropStream(t.Context(), "202611"); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A stream that never stays is given up in the end.
func TestStreamNeverStays(t *testing.T) {
	dir := t.TempDir()
	s, another := open(t, dir, jetstream.Session), open(t, dir, jetstream.Session)
	made, err := storeDropped(t, s, another, 1000)
	if made != 50 || !errors.Is(err, nats.ErrNoResponders) || !strings.Contains(err.Error(), "the journal's engine does not answer") {
		t.Errorf("made %d times, %v", made, err)
	}
}

// Only a stream that is gone is made: one that cannot be made is not tried again, and neither is one
// that refuses the frame.
func TestStreamIsNotMadeInVain(t *testing.T) {
	s := open(t, t.TempDir(), jetstream.Session)
	store := func(made func() error) error {
		return s.StoreFrame(t.Context(), session, journaltest.Events(session, 0, 1), journaltest.Summary(session, 1), made)
	}
	times, cannot := 0, errors.New("it cannot be made")
	if err := store(func() error { times++; return cannot }); times != 1 || !errors.Is(err, cannot) {
		t.Errorf("tried %d times, %v", times, err)
	}
	add(t, s, session, 0, 1)
	add(t, s, session, 1, 1)
	err := s.StoreFrame(t.Context(), session, journaltest.Events(session, 5, 1), journaltest.Summary(session, 1), func() error {
		t.Error("made although it is there")
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "wrong last sequence") {
		t.Errorf("a frame that does not follow: %v", err)
	}
}
