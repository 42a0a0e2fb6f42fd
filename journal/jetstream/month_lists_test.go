package jetstream_test

import (
	"testing"

	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// The sessions of a month are read again when its stream has got something, from any process, and only then.
func TestListIsKeptUntilTheStreamChanges(t *testing.T) {
	for _, role := range []string{"host", "client"} {
		t.Run(role, func(t *testing.T) {
			dir := t.TempDir()
			s, another := open(t, dir, jetstream.Session), open(t, dir, jetstream.Session)
			if role == "client" {
				s, another = another, s
			}
			const kept, other = "from the list that was kept", "20261116-000000-aaaa"
			var sessions []string
			list := func() (task string) {
				t.Helper()
				all, err := s.Sessions(t.Context())
				if err != nil || len(all) != len(sessions) {
					t.Fatalf("%d sessions of %d, %v", len(all), len(sessions), err)
				}
				task = all[0].Task
				for i := range all {
					all[i].Task = "changed by the caller"
				}
				return task
			}
			add := func(j *jetstream.Store, session string, after int64) {
				t.Helper()
				sum := journaltest.Summary(session, after+1)
				sum.Task = session
				if err := j.Append(t.Context(), session, after, journaltest.Events(session, after, 1), sum); err != nil {
					t.Fatal(err)
				}
			}
			for after, by := range []*jetstream.Store{s, another, another, s} {
				if add(by, session, int64(after)); after == 0 {
					sessions = append(sessions, session)
				}
				if got := list(); got != session {
					t.Errorf("after event %d: the task is %q", after+1, got)
				}
				s.MarkLists(kept)
				if got := list(); got != kept {
					t.Errorf("after event %d, nothing new: the task is %q", after+1, got)
				}
			}
			add(another, other, 0)
			if sessions = append(sessions, other); list() == kept {
				t.Error("after an event of another session: the list that was kept")
			}
			s.MarkLists(kept)
			if err := another.DropStream(t.Context(), "202611"); err != nil {
				t.Fatal(err)
			}
			all, _ := s.Sessions(t.Context()) // the error says what is lost
			for _, sum := range all {
				if sum.Task == kept {
					t.Errorf("after the month was dropped: %q", sum.ID)
				}
			}
		})
	}
}
