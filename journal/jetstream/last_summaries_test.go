package jetstream_test

import (
	"fmt"
	"strings"
	"testing"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// A list has every session once, with the summary of its last event, however much the last events have in them.
func TestListOfAnySize(t *testing.T) {
	for _, c := range []struct {
		name     string
		sessions int
		text     int // characters of each event
	}{
		{"small", 5, 10},
		{"many", 1100, 10},
		{"large", 40, 20 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			host, client := open(t, dir, jetstream.Session), open(t, dir, jetstream.Short)
			want := map[string]int64{}
			for i := range c.sessions {
				id := fmt.Sprintf("20261115-214609-%04d", i)
				events := journaltest.Events(id, 0, 1+i%3)
				for k := range events {
					events[k].Body = mulligan.Noted{Text: strings.Repeat("x", c.text)}
				}
				for k := range events {
					if err := host.Append(t.Context(), id, int64(k), events[k:k+1], journaltest.Summary(id, int64(k+1))); err != nil {
						t.Fatal(err)
					}
				}
				want[id] = int64(len(events))
			}
			for name, s := range map[string]*jetstream.Store{"host": host, "client": client} {
				all, err := s.Sessions(t.Context())
				if err != nil || len(all) != len(want) {
					t.Fatalf("%s: %d sessions of %d, %v", name, len(all), len(want), err)
				}
				for i, sum := range all {
					if want[sum.ID] != sum.Events || i > 0 && all[i-1].ID == sum.ID {
						t.Errorf("%s: session %s with %d events, want %d", name, sum.ID, sum.Events, want[sum.ID])
					}
				}
			}
		})
	}
}
