package jetstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/journal"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

const other = "20261101-000000-othr"

// damagedStore writes two sessions of ten events by turns and spoils one event of the first.
func damagedStore(t *testing.T, number int, rebuilt bool) *jetstream.Store {
	t.Helper()
	dir := t.TempDir()
	s, err := jetstream.Open(t.Context(), jetstream.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for after := range int64(10) {
		add(t, s, session, after, 1)
		add(t, s, other, after, 1)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	blocks, _ := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*", "msgs", "*.blk"))
	if len(blocks) != 1 {
		t.Fatalf("blocks: %v", blocks)
	}
	data, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, fmt.Appendf(nil, "event %d of %s", number, session))
	if at < 0 {
		t.Fatal("the event is not where it was looked for")
	}
	data[at] ^= 1
	if err := os.WriteFile(blocks[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	if rebuilt {
		// The engine then reads its files anew, and cuts them off where the damage begins.
		if err := os.Remove(filepath.Join(filepath.Dir(blocks[0]), "index.db")); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, dir, jetstream.Session)
}

func TestDamageIsNeverAQuietLoss(t *testing.T) {
	for _, number := range []int{1, 5, 10} {
		for _, rebuilt := range []bool{false, true} {
			t.Run(fmt.Sprintf("event %d, rebuilt %v", number, rebuilt), func(t *testing.T) {
				s := damagedStore(t, number, rebuilt)
				got, err := journaltest.Collect(s.Read(t.Context(), session, 1))
				var gap *mulligan.GapError
				var damage *journal.DamageError
				switch {
				case len(got) != number-1:
					t.Errorf("%d events, %v", len(got), err)
				case errors.As(err, &gap) && gap.Want == int64(number):
				case errors.As(err, &damage) && damage.Number == int64(number):
				default:
					t.Errorf("%v, want it to name event %d", err, number)
				}
				got, err = journaltest.Collect(s.Read(t.Context(), other, 1))
				if rebuilt != (err != nil) || !rebuilt && len(got) != 10 {
					t.Errorf("the other session: %d events, %v", len(got), err)
				}
			})
		}
	}
}

func TestDamagedSessionsAreNamedInTheList(t *testing.T) {
	s := damagedStore(t, 10, false)
	got, err := s.Sessions(t.Context())
	if len(got) != 1 || got[0].ID != other || err == nil || !strings.Contains(err.Error(), session) {
		t.Errorf("last frame damaged: %d sessions, %v", len(got), err)
	}
	s = damagedStore(t, 1, true)
	got, err = s.Sessions(t.Context())
	if len(got) != 0 || err == nil || !strings.Contains(err.Error(), session) || !strings.Contains(err.Error(), other) {
		t.Errorf("all lost: %d sessions, %v", len(got), err)
	}
}

// A writer whose session has become shorter than it knows gets an error.
func TestAppendToAShortenedSession(t *testing.T) {
	s := damagedStore(t, 5, true)
	err := s.Append(t.Context(), session, 10, journaltest.Events(session, 10, 1), journaltest.Summary(session, 11))
	var gap *mulligan.GapError
	if !errors.As(err, &gap) || gap.Want != 5 || gap.Got != 11 {
		t.Errorf("%v", err)
	}
}
