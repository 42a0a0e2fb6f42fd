package jetstream_test

import (
	"errors"
	"testing"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

const session = "20261115-214609-x7q2"

func add(t testing.TB, s *jetstream.Store, session string, after int64, n int) {
	t.Helper()
	if err := s.Append(t.Context(), session, after, journaltest.Events(session, after, n), journaltest.Summary(session, after+int64(n))); err != nil {
		t.Fatal(err)
	}
}

func TestViewerLetsGoWhereNobodyHosts(t *testing.T) {
	dir := t.TempDir()
	writer := open(t, dir, jetstream.Session)
	add(t, writer, session, 0, 3)
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	viewer := open(t, dir, jetstream.Viewer)
	if !viewer.Hosting() {
		t.Fatal("nobody hosts")
	}
	got, err := journaltest.Collect(viewer.Follow(t.Context(), session, 1))
	if !errors.Is(err, jetstream.ErrHostGone) || len(got) != 3 {
		t.Errorf("%d events, %v", len(got), err)
	}
	if _, err := viewer.Sessions(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestViewerDoesNotTakeOver(t *testing.T) {
	dir := t.TempDir()
	host := open(t, dir, jetstream.Session)
	add(t, host, session, 0, 1)
	viewer := open(t, dir, jetstream.Viewer)
	var got []mulligan.Event
	var end error
	for e, err := range viewer.Follow(t.Context(), session, 1) {
		if err != nil {
			end = err
			break
		}
		if got = append(got, e); e.Number == 1 {
			add(t, host, session, 1, 1)
		} else if err := host.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !errors.Is(end, jetstream.ErrHostGone) || len(got) != 2 || viewer.Hosting() {
		t.Errorf("%d events, %v, hosting %v", len(got), end, viewer.Hosting())
	}
	if _, err := journaltest.Collect(viewer.Read(t.Context(), session, 1)); !errors.Is(err, jetstream.ErrHostGone) {
		t.Errorf("read: %v", err)
	}
}

func TestClosedStoreSaysSo(t *testing.T) {
	s := open(t, t.TempDir(), jetstream.Session)
	add(t, s, session, 0, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), session, 1, journaltest.Events(session, 1, 1), mulligan.Summary{}); !errors.Is(err, jetstream.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	for name, follow := range map[string]error{
		"read":   last(journaltest.Collect(s.Read(t.Context(), session, 1))),
		"follow": last(journaltest.Collect(s.Follow(t.Context(), session, 1))),
	} {
		if !errors.Is(follow, jetstream.ErrClosed) {
			t.Errorf("%s: %v", name, follow)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
}

func last[T any](_ T, err error) error { return err }
