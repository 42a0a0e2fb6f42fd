package jetstream_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// realEvents are what a session could write: they begin with its start.
func realEvents(id string, n int) []mulligan.Event {
	events := journaltest.Events(id, 0, n)
	events[0].Body = mulligan.SessionStarted{Plan: &mulligan.Plan{Pipeline: "default", Steps: []mulligan.Step{{Name: "make"}}}}
	return events
}

// write stores a session of n events, a frame each, so that one of them can be spoiled.
func writeSession(t *testing.T, s *jetstream.Store, id string, n int) {
	t.Helper()
	for i, e := range realEvents(id, n) {
		if err := s.Append(t.Context(), id, int64(i), []mulligan.Event{e}, journaltest.Summary(id, int64(i+1))); err != nil {
			t.Fatal(err)
		}
	}
}

// spoilEvent flips a bit of an event on the disk.
func spoilEvent(t *testing.T, dir, text string) {
	t.Helper()
	blocks, _ := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*", "msgs", "*.blk"))
	for _, block := range blocks {
		data, err := os.ReadFile(block)
		if err != nil {
			t.Fatal(err)
		}
		if at := strings.Index(string(data), text); at >= 0 {
			data[at] ^= 1
			if err := os.WriteFile(block, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%q is in none of %v", text, blocks)
}

func TestCheckAndRepair(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	writeSession(t, s, session, 10)
	writeSession(t, s, other, 200)
	const third = "20261001-000000-thrd" // of another month, and so of another stream
	writeSession(t, s, third, 3)
	if c, err := s.Check(t.Context(), ""); err != nil || c.Sessions != 3 || c.Events != 213 || len(c.Damaged) != 0 {
		t.Fatalf("whole: %+v, %v", c, err)
	}
	if _, err := jetstream.Repair(t.Context(), jetstream.Options{Dir: dir}, time.Now()); !errors.Is(err, jetstream.ErrInUse) {
		t.Errorf("repaired beside another: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	spoilEvent(t, dir, "event 7 of "+session)

	s = open(t, dir, jetstream.Session)
	c, err := s.Check(t.Context(), "")
	if err != nil || len(c.Damaged) != 1 || c.Damaged[0].Session != session || c.Damaged[0].Whole != 6 || c.Damaged[0].Had != 10 {
		t.Fatalf("damaged: %+v, %v", c, err)
	}
	if one, err := s.Check(t.Context(), other); err != nil || one.Sessions != 1 || len(one.Damaged) != 0 {
		t.Errorf("the other alone: %+v, %v", one, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	r, err := jetstream.Repair(t.Context(), jetstream.Options{Dir: dir}, time.Now())
	if err != nil || len(r.Damaged) != 1 || r.Events != 209 {
		t.Fatalf("repaired: %+v, %v", r, err)
	}
	checkRepaired(t, dir, r.Kept, third)
}

func checkRepaired(t *testing.T, dir, kept, third string) {
	t.Helper()
	s := open(t, dir, jetstream.Session)
	if c, err := s.Check(t.Context(), ""); err != nil || c.Sessions != 3 || len(c.Damaged) != 0 {
		t.Errorf("after the repair: %+v, %v", c, err)
	}
	for id, want := range map[string]int{session: 7, other: 200, third: 3} {
		got, err := journaltest.Collect(s.Read(t.Context(), id, 1))
		if err != nil || len(got) != want {
			t.Errorf("%s has %d events, %v, want %d", id, len(got), err, want)
		}
		if id == session && len(got) == want {
			note, ok := got[6].Body.(mulligan.Noted)
			if !ok || !strings.Contains(note.Text, "what came after event 6 is lost (4 events)") {
				t.Errorf("it says %+v", got[6].Body)
			}
		}
	}
	// It can be written to, and the damaged one is there as it was.
	add(t, s, third, 3, 1)
	old := open(t, kept, jetstream.Session)
	if c, err := old.Check(t.Context(), ""); err != nil || c.Sessions != 3 || len(c.Damaged) != 1 {
		t.Errorf("the one that was kept: %+v, %v", c, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "repair-*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A session of which nothing can be read is named, and keeps the others from nothing.
func TestRepairWithoutABeginning(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	writeSession(t, s, session, 1)
	writeSession(t, s, other, 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	spoilEvent(t, dir, session+`","n":1,`)
	r, err := jetstream.Repair(t.Context(), jetstream.Options{Dir: dir}, time.Now())
	if err != nil || len(r.Damaged) != 1 || r.Damaged[0].Session != session || r.Damaged[0].Whole != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	s = open(t, dir, jetstream.Session)
	all, err := s.Sessions(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != other {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestDamaged(t *testing.T) {
	damage := &mulligan.GapError{Session: session, Want: 2, Got: 3}
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("no host"), false},
		{damage, true},
		{errors.Join(damage, damage), true},
		{errors.Join(damage, errors.New("no host")), false},
	} {
		if got := jetstream.Damaged(tc.err); got != tc.want {
			t.Errorf("%v: %v", tc.err, got)
		}
	}
}

// A sealed session is checked and repaired like the others.
func TestRepairSealed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, jetstream.Session)
	writeSession(t, s, session, 50)
	writeSession(t, s, other, 50)
	tidied, err := s.Tidy(t.Context(), time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), 100)
	if err != nil || tidied.Sealed != 2 {
		t.Fatalf("%+v, %v", tidied, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "sealed", session[:6], session+".jsonl.gz")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}

	s = open(t, dir, jetstream.Session)
	c, err := s.Check(t.Context(), "")
	if err != nil || c.Sessions != 2 || len(c.Damaged) != 1 || c.Damaged[0].Session != session || c.Damaged[0].Had != 50 || c.Damaged[0].Folder != file {
		t.Fatalf("%+v, %v", c, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.Repair(t.Context(), jetstream.Options{Dir: dir}, time.Now()); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, jetstream.Session)
	got, err := journaltest.Collect(s.Read(t.Context(), other, 1))
	if err != nil || len(got) != 50 {
		t.Errorf("the other session has %d events, %v", len(got), err)
	}
	if c, err := s.Check(t.Context(), ""); err != nil || len(c.Damaged) != 0 {
		t.Errorf("after the repair: %+v, %v", c, err)
	}
}
