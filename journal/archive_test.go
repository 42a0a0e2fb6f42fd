package journal_test

import (
	"errors"
	"iter"
	"os"
	"reflect"
	"testing"

	"mulligan"
	"mulligan/journal"
	"mulligan/journal/journaltest"
)

const archived = "20261115-214609-x7q2"

func sequence(events []mulligan.Event, end error) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if end != nil {
			yield(mulligan.Event{}, end)
		}
	}
}

func seal(a *journal.Archive, events []mulligan.Event, end error) (journal.Sealed, error) {
	return a.Seal(journaltest.Summary(archived, int64(len(events))), func() (string, journal.Source) { return "frame", journal.Source{} }, sequence(events, end))
}

func unseal(a *journal.Archive, from int64) (got []mulligan.Event, err error) {
	err = a.Read(archived, from, func(e mulligan.Event) error {
		got = append(got, e)
		return nil
	})
	return got, err
}

func TestSealAndRead(t *testing.T) {
	a := journal.NewArchive(t.TempDir())
	want := journaltest.EveryKind(archived)
	if _, err := seal(a, want, nil); err != nil {
		t.Fatal(err)
	}
	for _, from := range []int64{0, 1, 2, int64(len(want)), int64(len(want)) + 1} {
		got, err := unseal(a, from)
		if n := len(want) - int(max(from, 1)) + 1; err != nil || len(got) != n {
			t.Errorf("from %d: %d events of %d, %v", from, len(got), n, err)
		}
	}
	s, ok, err := a.Find(archived)
	if err != nil || !ok || s.Events != int64(len(want)) || s.Frame != "frame" || s.Summary.ID != archived {
		t.Errorf("%+v, %v, %v", s, ok, err)
	}
	// Another process that knew nothing of it reads the same.
	if again, ok, err := journal.NewArchive(a.Dir()).Find(archived); err != nil || !ok || again.SHA256 != s.SHA256 {
		t.Errorf("%+v, %v, %v", again, ok, err)
	}
}

// What cannot be read to its end is not sealed, and leaves what was sealed before.
func TestSealFails(t *testing.T) {
	a := journal.NewArchive(t.TempDir())
	if _, err := seal(a, journaltest.Events(archived, 0, 3), nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if _, err := seal(a, journaltest.Events(archived, 0, 5), broken); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	var gap *mulligan.GapError
	if _, err := seal(a, journaltest.Events(archived, 1, 5), nil); !errors.As(err, &gap) {
		t.Errorf("%v", err)
	}
	if got, err := unseal(a, 1); err != nil || len(got) != 3 {
		t.Errorf("%d events, %v", len(got), err)
	}
	if left, err := os.ReadDir(a.Dir() + "/202611"); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// A file that is cut short anywhere, or changed anywhere, yields an error and no event.
func TestDamagedSeal(t *testing.T) {
	a := journal.NewArchive(t.TempDir())
	want := journaltest.Events(archived, 0, 20)
	if _, err := seal(a, want, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(a.Path(archived))
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, at int, data []byte) {
		if err := os.WriteFile(a.Path(archived), data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := unseal(a, 1)
		var damage *journal.DamageError
		if err == nil && reflect.DeepEqual(got, want) {
			return // a bit that the compression does not use
		}
		if !errors.As(err, &damage) || len(got) != 0 {
			t.Errorf("%s at %d of %d: %d events, %v", what, at, len(whole), len(got), err)
		}
	}
	for at := range whole {
		try("cut short", at, whole[:at])
		changed := append([]byte(nil), whole...)
		changed[at] ^= 0x10
		try("changed", at, changed)
	}
}

func TestDropArtifacts(t *testing.T) {
	files := journal.Files{Dir: t.TempDir()}
	old, err := files.Put([]byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	used, err := files.Put([]byte("used"))
	if err != nil {
		t.Fatal(err)
	}
	isUsed := func(hash string) bool { return hash == used }
	past := journaltest.Summary("", 0).Started.AddDate(-10, 0, 0)
	if err := files.Drop(isUsed, past); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Get(old); err != nil {
		t.Errorf("young: %v", err)
	}
	if err := files.Drop(isUsed, past.AddDate(100, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Get(old); err == nil {
		t.Error("it is still there")
	}
	if _, err := files.Get(used); err != nil {
		t.Errorf("used: %v", err)
	}
}
