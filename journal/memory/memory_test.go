package memory_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/journal"
	"mulligan/journal/journaltest"
	"mulligan/journal/memory"
)

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(*testing.T) mulligan.Journal { return &memory.Journal{} })
}

// A clone has what its journal has, also data that is kept apart; from there each has its own events.
func TestClone(t *testing.T) {
	const id = "20261115-214609-x7q2"
	large := mulligan.Event{Session: id, Number: 1, Time: journaltest.Events(id, 0, 1)[0].Time, Body: mulligan.Noted{Text: strings.Repeat("large ", journal.MaxEvent/4)}}
	shared, later := append([]mulligan.Event{large}, journaltest.Events(id, 1, 2)...), journaltest.Events(id, 3, 2)
	add := func(j *memory.Journal, after int64, events ...mulligan.Event) {
		t.Helper()
		if err := j.Append(t.Context(), id, after, events, journaltest.Summary(id, after+int64(len(events)))); err != nil {
			t.Fatal(err)
		}
	}
	want := func(j *memory.Journal, events ...mulligan.Event) {
		t.Helper()
		got, err := journaltest.Collect(j.Read(t.Context(), id, 1))
		sums, listErr := j.Sessions(t.Context())
		if err := errors.Join(err, listErr); err != nil || !reflect.DeepEqual(got, events) || len(sums) != 1 || sums[0].Events != int64(len(events)) {
			t.Errorf("%d events, summaries %+v, %v; want %d events", len(got), sums, err, len(events))
		}
	}
	first := &memory.Journal{}
	for i, e := range shared { // frames for which a slice has room to spare
		add(first, int64(i), e)
	}
	second := first.Clone()
	third := second.Clone()
	add(first, 3, later...)
	add(second, 3, later[0])
	add(third, 3, later[0])
	add(third, 4, later[1])
	want(first, append(slices.Clone(shared), later...)...)
	want(second, append(slices.Clone(shared), later[0])...)
	want(third, append(slices.Clone(shared), later...)...)
}
