// Package journaltest is the suite that every journal passes.
package journaltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal"
)

// patience is a guard against hanging; nothing here takes long.
const patience = 2 * time.Minute

// Run holds a journal to its contract. Each test opens one of its own, empty.
func Run(t *testing.T, open func(t *testing.T) mulligan.Journal) {
	tests := []struct {
		name string
		test func(*testing.T, suite)
	}{
		{"append and read", testAppendRead},
		{"every kind comes back as it was", testEveryKind},
		{"read from a number", testReadFrom},
		{"reading can be stopped", testStopReading},
		{"no such session", testNoSession},
		{"stale writer is refused", testStale},
		{"two writers, one wins", testTwoWriters},
		{"the same append twice is stored once", testRepeat},
		{"a gap is refused", testGap},
		{"what is not an append is refused", testRefused},
		{"a batch is all or nothing", testAtomic},
		{"large events", testLarge},
		{"summaries", testSummaries},
		{"a guard is no session", testGuards},
		{"sessions side by side", testConcurrent},
		{"follow gives what comes", testFollow},
		{"follow from a number", testFollowFrom},
		{"follow ends with its context", testFollowEnds},
		{"a context that has ended", testEndedContext},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			tt.test(t, suite{ctx: func() context.Context { return ctx }, j: open(t)})
		})
	}
}

type suite struct {
	ctx func() context.Context
	j   mulligan.Journal
}

const session = "20261115-214609-x7q2"

// Events returns n events of a session, numbered after+1 and on.
func Events(session string, after int64, n int) []mulligan.Event {
	events := make([]mulligan.Event, n)
	for i := range events {
		number := after + 1 + int64(i)
		events[i] = mulligan.Event{
			Session: session, Number: number,
			Time: time.Date(2026, 11, 15, 21, 46, 9, int(number), time.UTC),
			Body: mulligan.Noted{Text: fmt.Sprintf("event %d of %s: <ünïcode> & \"quotes\"\nand a line", number, session)},
		}
	}
	return events
}

// Summary returns a summary of a session that has so many events.
func Summary(session string, events int64) mulligan.Summary {
	return mulligan.Summary{
		ID: session, Started: time.Date(2026, 11, 15, 21, 46, 9, 0, time.UTC), Updated: time.Date(2026, 11, 15, 22, 0, 0, int(events), time.UTC),
		Dir: "/somewhere/ünï  code", Task: "a task: two\nlines\r\n\tand a tab ", Pipeline: "default", Phase: mulligan.Working, Events: events,
	}
}

func (s suite) append(t *testing.T, session string, after int64, events []mulligan.Event) {
	t.Helper()
	if err := s.j.Append(s.ctx(), session, after, events, Summary(session, after+int64(len(events)))); err != nil {
		t.Fatalf("append after %d: %v", after, err)
	}
}

func (s suite) read(t *testing.T, session string, from int64) []mulligan.Event {
	t.Helper()
	events, err := Collect(s.j.Read(s.ctx(), session, from))
	if err != nil {
		t.Fatalf("read from %d: %v", from, err)
	}
	return events
}

// Collect returns the events up to the first error.
func Collect(seq iter.Seq2[mulligan.Event, error]) ([]mulligan.Event, error) {
	var events []mulligan.Event
	for e, err := range seq {
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

func wantSame(t *testing.T, got, want []mulligan.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d events, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("event %d:\n got %+v\nwant %+v", want[i].Number, got[i], want[i])
		}
	}
}

func testAppendRead(t *testing.T, s suite) {
	var want []mulligan.Event
	for _, n := range []int{1, 3, 1, 40, 2} {
		batch := Events(session, int64(len(want)), n)
		s.append(t, session, int64(len(want)), batch)
		want = append(want, batch...)
		wantSame(t, s.read(t, session, 1), want)
	}
}

func testEveryKind(t *testing.T, s suite) {
	want := EveryKind(session)
	s.append(t, session, 0, want)
	wantSame(t, s.read(t, session, 1), want)
}

func testReadFrom(t *testing.T, s suite) {
	want := Events(session, 0, 10)
	s.append(t, session, 0, want[:4])
	s.append(t, session, 4, want[4:5])
	s.append(t, session, 5, want[5:])
	for from := int64(1); from <= 10; from++ {
		wantSame(t, s.read(t, session, from), want[from-1:])
	}
	wantSame(t, s.read(t, session, 0), want)
	wantSame(t, s.read(t, session, 11), nil)
	wantSame(t, s.read(t, session, 1000), nil)
}

func testStopReading(t *testing.T, s suite) {
	s.append(t, session, 0, Events(session, 0, 5))
	for e, err := range s.j.Read(s.ctx(), session, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Number == 3 {
			break
		}
		if e.Number > 3 {
			t.Fatalf("event %d after the reader stopped", e.Number)
		}
	}
	wantSame(t, s.read(t, session, 1), Events(session, 0, 5))
}

func testNoSession(t *testing.T, s suite) {
	s.append(t, session, 0, Events(session, 0, 1))
	for _, id := range []string{"20261115-214609-none", "19990101-000000-none", "nonsense", "", "2026.*", "202611>"} {
		for name, seq := range map[string]iter.Seq2[mulligan.Event, error]{"read": s.j.Read(s.ctx(), id, 1), "follow": s.j.Follow(s.ctx(), id, 1)} {
			events, err := Collect(seq)
			if !errors.Is(err, mulligan.ErrNoSession) || len(events) > 0 {
				t.Errorf("%s %q: %d events, %v; want ErrNoSession", name, id, len(events), err)
			}
		}
	}
	if got, err := s.j.Sessions(s.ctx()); err != nil || len(got) != 1 {
		t.Errorf("asking for sessions that are not there left %d, %v", len(got), err)
	}
}

func testGuards(t *testing.T, s suite) {
	const id = "202611-guard-c1"
	e := mulligan.Event{Session: id, Number: 1, Time: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC), Body: mulligan.GuardOpened{Dir: "/repo", Conversation: "c1"}}
	s.append(t, session, 0, Events(session, 0, 1))
	if err := s.j.Append(s.ctx(), id, 0, []mulligan.Event{e}, mulligan.Summary{ID: id, Guard: true, Events: 1}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.j.Sessions(s.ctx()); err != nil || len(got) != 1 || got[0].ID != session {
		t.Errorf("listed: %+v, %v; want %s alone", got, err, session)
	}
	wantSame(t, s.read(t, id, 1), []mulligan.Event{e})
}

func testStale(t *testing.T, s suite) {
	want := Events(session, 0, 3)
	s.append(t, session, 0, want[:1])
	s.append(t, session, 1, want[1:])
	for after := int64(0); after < 3; after++ {
		other := Events(session, after, 1)
		other[0].Body = mulligan.Noted{Text: "another writer's"}
		err := s.j.Append(s.ctx(), session, after, other, Summary(session, after+1))
		if !errors.Is(err, mulligan.ErrStale) {
			t.Errorf("append after %d of 3: %v, want ErrStale", after, err)
		}
	}
	wantSame(t, s.read(t, session, 1), want)
	if got, err := s.j.Sessions(s.ctx()); err != nil || got[0].Events != 3 {
		t.Errorf("a refused append changed the summary: %+v, %v", got, err)
	}
}

func testTwoWriters(t *testing.T, s suite) {
	const writers = 4
	for after := range int64(10) {
		var wins, stale int
		var mu sync.Mutex
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				events := Events(session, after, 1)
				events[0].Body = mulligan.Noted{Text: fmt.Sprintf("writer %d", w)}
				err := s.j.Append(s.ctx(), session, after, events, Summary(session, after+1))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					wins++
				case errors.Is(err, mulligan.ErrStale):
					stale++
				default:
					t.Errorf("writer %d after %d: %v", w, after, err)
				}
			})
		}
		group.Wait()
		if wins != 1 || stale != writers-1 {
			t.Fatalf("after %d: %d of %d writers won, %d were stale", after, wins, writers, stale)
		}
	}
	if got := s.read(t, session, 1); len(got) != 10 {
		t.Errorf("%d events of 10", len(got))
	}
}

func testRepeat(t *testing.T, s suite) {
	want := Events(session, 0, 5)
	for range 3 {
		s.append(t, session, 0, want[:2])
	}
	s.append(t, session, 2, want[2:4])
	s.append(t, session, 2, want[2:4])
	s.append(t, session, 4, want[4:])
	wantSame(t, s.read(t, session, 1), want)
}

func testGap(t *testing.T, s suite) {
	var gap *mulligan.GapError
	err := s.j.Append(s.ctx(), session, 3, Events(session, 3, 1), Summary(session, 4))
	if !errors.As(err, &gap) || gap.Want != 1 || gap.Got != 4 {
		t.Errorf("append after 3 to a session that is not there: %v, want a gap", err)
	}
	s.append(t, session, 0, Events(session, 0, 2))
	err = s.j.Append(s.ctx(), session, 3, Events(session, 3, 1), Summary(session, 4))
	if !errors.As(err, &gap) || gap.Want != 3 || gap.Got != 4 || gap.Session != session {
		t.Errorf("append after 3 to a session of 2: %v, want a gap at 3", err)
	}
	events := Events(session, 2, 3)
	events[1].Number = 7
	err = s.j.Append(s.ctx(), session, 2, events, Summary(session, 5))
	if !errors.As(err, &gap) || gap.Want != 4 || gap.Got != 7 {
		t.Errorf("a batch with a gap: %v, want a gap at 4", err)
	}
	wantSame(t, s.read(t, session, 1), Events(session, 0, 2))
}

func testRefused(t *testing.T, s suite) {
	other := Events("20261115-000000-othr", 0, 1)
	for name, try := range map[string]func() error{
		"nothing":            func() error { return s.j.Append(s.ctx(), session, 0, nil, Summary(session, 0)) },
		"another's event":    func() error { return s.j.Append(s.ctx(), session, 0, other, Summary(session, 1)) },
		"not a session's id": func() error { return s.j.Append(s.ctx(), "a.b", 0, Events("a.b", 0, 1), Summary("a.b", 1)) },
		"after what is not":  func() error { return s.j.Append(s.ctx(), session, -1, Events(session, -1, 1), Summary(session, 0)) },
	} {
		if err := try(); err == nil {
			t.Errorf("%s was appended", name)
		}
	}
	if got, err := s.j.Sessions(s.ctx()); err != nil || len(got) != 0 {
		t.Errorf("refused appends left %d sessions, %v", len(got), err)
	}
}

func testAtomic(t *testing.T, s suite) {
	s.append(t, session, 0, Events(session, 0, 1))
	batch := Events(session, 1, 3)
	batch[2].Body = unwritable{}
	if err := s.j.Append(s.ctx(), session, 1, batch, Summary(session, 4)); err == nil {
		t.Fatal("an event that cannot be written was appended")
	}
	wantSame(t, s.read(t, session, 1), Events(session, 0, 1))
	s.append(t, session, 1, Events(session, 1, 3))
	wantSame(t, s.read(t, session, 1), Events(session, 0, 4))
}

// unwritable is a body that has no JSON.
type unwritable struct{}

func (unwritable) Kind() string                 { return "unwritable" }
func (unwritable) MarshalJSON() ([]byte, error) { return nil, errors.New("cannot be written") }

func testLarge(t *testing.T, s suite) {
	var want []mulligan.Event
	// The largest is more than any engine takes in one message.
	for _, size := range []int{journal.MaxEvent - 100, journal.MaxEvent, 1 << 20, 3 << 20} {
		e := Events(session, int64(len(want)), 1)[0]
		e.Body = mulligan.Noted{Text: strings.Repeat("0123456789abcdé\n", size/16)}
		want = append(want, e)
	}
	s.append(t, session, 0, want[:3])
	s.append(t, session, 3, want[3:])
	// Many that are not large one by one are large together.
	many := Events(session, 4, 3*journal.MaxFrame/2/journal.MaxEvent)
	for i := range many {
		many[i].Body = mulligan.Noted{Text: strings.Repeat("x", journal.MaxEvent-100)}
	}
	s.append(t, session, 4, many)
	wantSame(t, s.read(t, session, 1), append(want, many...))
}

func testEndedContext(t *testing.T, s suite) {
	s.append(t, session, 0, Events(session, 0, 3))
	ctx, cancel := context.WithCancel(s.ctx())
	cancel()
	if err := s.j.Append(ctx, session, 3, Events(session, 3, 1), Summary(session, 4)); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v", err)
	}
	if _, err := Collect(s.j.Read(ctx, session, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.j.Sessions(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("sessions: %v", err)
	}
}
