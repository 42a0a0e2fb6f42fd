//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// later is when every session of these tests has been quiet for long, and its month is over.
var later = time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)

// tidied is a journal that seals everything and drops its month after every append.
type tidied struct{ *jetstream.Store }

func (j tidied) Append(ctx context.Context, session string, after int64, events []mulligan.Event, sum mulligan.Summary) error {
	if err := j.Store.Append(ctx, session, after, events, sum); err != nil {
		return err
	}
	_, err := j.Tidy(ctx, later, 1000)
	return err
}

// A session that is sealed, gone on with, and sealed again is one that never was.
func TestSealedJournal(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) mulligan.Journal { return tidied{open(t, t.TempDir(), jetstream.Session)} })
}

func tidy(t *testing.T, s *jetstream.Store, now time.Time, most int) jetstream.Tidied {
	t.Helper()
	got, err := s.Tidy(t.Context(), now, most)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func streams(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// endedSummary is the summary of a session that is over.
func endedSummary(session string, events int64) mulligan.Summary {
	sum := journaltest.Summary(session, events)
	sum.Ended = mulligan.Verified
	return sum
}

func TestWhatIsSealedAndWhen(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	add(t, s, "20261001-000000-open", 0, 3)
	for _, id := range []string{"20261001-000000-donE", "20261101-000000-also"} {
		id = strings.ToLower(id)
		if err := s.Append(t.Context(), id, 0, journaltest.Events(id, 0, 3), endedSummary(id, 3)); err != nil {
			t.Fatal(err)
		}
	}
	end := journaltest.Summary("", 3).Updated
	if got := tidy(t, s, end.Add(time.Minute), 10); got.Sealed != 0 || len(got.Dropped) != 0 {
		t.Errorf("a minute later: %+v", got)
	}
	if got := tidy(t, s, end.Add(2*time.Hour), 1); got.Sealed != 1 || len(got.Dropped) != 0 {
		t.Errorf("hours later, one at most: %+v", got)
	}
	if got := tidy(t, s, end.Add(2*time.Hour), 10); got.Sealed != 1 || len(got.Dropped) != 0 {
		t.Errorf("hours later: %+v", got)
	}
	if n := streams(t, dir); n != 2 {
		t.Errorf("%d months of 2: one has a session that may go on, the other is not over", n)
	}
	// What never ended is sealed when it is unlikely to be resumed.
	if got := tidy(t, s, later, 10); got.Sealed != 1 || len(got.Dropped) != 2 {
		t.Errorf("months later: %+v", got)
	}
	await(t, "no month is left", func() bool { return streams(t, dir) == 0 })
	if left, _ := filepath.Glob(filepath.Join(dir, "marks", "*")); len(left) > 0 {
		t.Errorf("marks are left: %v", left)
	}
	if got, err := s.Sessions(t.Context()); err != nil || len(got) != 3 || got[0].Events != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A month that was dropped since it was listed has no sessions of its own any more.
func TestMonthIsDroppedMeanwhile(t *testing.T) {
	s := open(t, t.TempDir(), jetstream.Session)
	add(t, s, session, 0, 1)
	tidy(t, s, later, 10)
	if got, err := s.Subjects(t.Context(), "202611"); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// A process that began to drop a month was killed: the next process finishes it.
func TestDropIsFinished(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	add(t, s, session, 0, 4)
	if err := s.BeginDrop(t.Context(), "202611"); err != nil {
		t.Fatal(err)
	}
	add(t, s, session, 4, 2)
	add(t, s, "20261115-000000-anew", 0, 1)
	if got, err := journaltest.Collect(s.Read(t.Context(), session, 1)); err != nil || len(got) != 6 {
		t.Errorf("%d events of 6, %v", len(got), err)
	}
	if got, err := s.Sessions(t.Context()); err != nil || len(got) != 2 || got[1].Events != 6 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A writer of old does not get into a session that is sealed.
func TestStaleWriterOfASealedSession(t *testing.T) {
	dir := t.TempDir()
	add(t, open(t, dir, jetstream.Session), session, 0, 4)
	s := open(t, dir, jetstream.Short)
	tidy(t, s, later, 10)
	for after := range int64(4) {
		events := journaltest.Events(session, after, 1)
		events[0].Body = mulligan.Noted{Text: "another's"}
		if err := s.Append(t.Context(), session, after, events, journaltest.Summary(session, after+1)); !errors.Is(err, mulligan.ErrStale) {
			t.Errorf("after %d: %v", after, err)
		}
	}
}

func TestSealedSessionIsDamaged(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	if err := s.Append(t.Context(), session, 0, journaltest.Events(session, 0, 50), endedSummary(session, 50)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sealed", "202611", session+".jsonl.gz")
	spoil := func() {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (int, error) {
		got, err := journaltest.Collect(s.Read(t.Context(), session, 1))
		return len(got), err
	}
	// While the month is there, it has the session too.
	tidy(t, s, journaltest.Summary("", 50).Updated.Add(2*time.Hour), 10)
	spoil()
	if n, err := read(); n != 50 || err != nil {
		t.Errorf("before the month is dropped: %d events, %v", n, err)
	}
	// A month is not dropped for a file that cannot be read: it is made anew.
	tidy(t, s, later, 10)
	await(t, "no month is left", func() bool { return streams(t, dir) == 0 })
	if n, err := read(); n != 50 || err != nil {
		t.Errorf("after: %d events, %v", n, err)
	}
	spoil()
	var damage *journal.DamageError
	if n, err := read(); n != 0 || !errors.As(err, &damage) || !strings.Contains(err.Error(), path) {
		t.Errorf("damaged: %d events, %v", n, err)
	}
}

func TestIndexOfSealedSessions(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	add(t, s, session, 0, 5)
	tidy(t, s, later, 10)
	index := filepath.Join(dir, "sealed", "index.jsonl")
	whole, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"gone":       func() error { return os.Remove(index) },
		"damaged":    func() error { return os.WriteFile(index, append([]byte("{nonsense\n"), whole...), 0o600) },
		"a cut line": func() error { return os.WriteFile(index, append(whole, whole[:20]...), 0o600) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		add(t, s, other, 0, 1)
		if got, err := s.Sessions(t.Context()); err != nil || len(got) != 2 {
			t.Errorf("%s: %d sessions, %v", name, len(got), err)
		}
		tidy(t, s, later, 10)
		again := open(t, dir, jetstream.Short)
		if got, err := journaltest.Collect(again.Read(t.Context(), session, 1)); err != nil || len(got) != 5 {
			t.Errorf("%s: %d events, %v", name, len(got), err)
		}
		if got, err := again.Sessions(t.Context()); err != nil || len(got) != 2 {
			t.Errorf("%s: afterwards %d sessions, %v", name, len(got), err)
		}
	}
}

// A list does not take what came after the sealing for sealed, in the same stream or in one
// that was made anew.
func TestListAfterSealing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	check := func(what string, want int64) {
		t.Helper()
		for _, s := range []*jetstream.Store{s, open(t, dir, jetstream.Short)} {
			if got, err := s.Sessions(t.Context()); err != nil || len(got) != 1 || got[0].Events != want {
				t.Errorf("%s: %+v, %v", what, got, err)
			}
		}
	}
	put := func(after int64) {
		t.Helper()
		if err := s.Append(t.Context(), session, after, journaltest.Events(session, after, 1), endedSummary(session, after+1)); err != nil {
			t.Fatal(err)
		}
	}
	soon := journaltest.Summary("", 0).Updated.Add(2 * time.Hour)
	put(0)
	if got := tidy(t, s, soon, 10); got.Sealed != 1 || len(got.Dropped) != 0 {
		t.Fatalf("%+v", got)
	}
	check("sealed", 1)
	put(1)
	check("gone on with", 2)
	tidy(t, s, soon, 10)
	check("sealed again", 2)
	tidy(t, s, later, 10)
	check("dropped", 2)
	put(2)
	put(3)
	check("in a month made anew", 4)
	tidy(t, s, soon, 10)
	check("sealed there", 4)
	tidy(t, s, later, 10)
	check("dropped there", 4)
}

// A session that is sealed and still in its stream is read from the archive alone; what comes later is read
// and written as ever, by a process that has read it so too.
func TestReadAndWriteAfterSealing(t *testing.T) {
	dir := t.TempDir()
	writer, reader := open(t, dir, jetstream.Session), open(t, dir, jetstream.Short)
	soon := journaltest.Summary("", 0).Updated.Add(2 * time.Hour)
	put := func(s *jetstream.Store, after int64) {
		t.Helper()
		if err := s.Append(t.Context(), session, after, journaltest.Events(session, after, 1), endedSummary(session, after+1)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want int64) {
		t.Helper()
		last := int64(0)
		for e, err := range reader.Read(t.Context(), session, 1) {
			if last++; err != nil || e.Number != last {
				t.Fatalf("event %d: %+v, %v", last, e, err)
			}
		}
		if last != want {
			t.Errorf("read %d events, want %d", last, want)
		}
	}
	put(writer, 0)
	put(writer, 1)
	tidy(t, writer, soon, 10)
	read(2)
	put(writer, 2) // the stream has more than the archive
	read(3)
	put(reader, 3)
	tidy(t, writer, soon, 10)
	read(4)
	put(reader, 4) // by a process that has read the archive alone
	tidy(t, writer, soon, 10)

	next := int64(0)
	for e, err := range reader.Follow(t.Context(), session, 1) {
		if next++; err != nil || e.Number != next {
			t.Fatalf("followed to event %d: %+v, %v", next, e, err)
		}
		if next == 7 {
			break
		}
		if next >= 5 {
			put(writer, next)
		}
	}
}
