package journaltest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal"
)

func testSummaries(t *testing.T, s suite) {
	if got, err := s.j.Sessions(s.ctx()); err != nil || len(got) != 0 {
		t.Fatalf("an empty journal has %d sessions, %v", len(got), err)
	}
	ids := []string{"20261201-000000-aaaa", "20260131-235959-zzzz", "20261115-214609-x7q2", "20261115-214609-b000"}
	starts := []time.Time{
		time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC),
		time.Date(2026, 11, 15, 21, 46, 9, 0, time.UTC), time.Date(2026, 11, 15, 21, 46, 9, 0, time.UTC),
	}
	var want []mulligan.Summary
	for i, id := range ids {
		for after := range int64(i + 1) {
			sum := Summary(id, after+1)
			sum.Started = starts[i]
			if err := s.j.Append(s.ctx(), id, after, Events(id, after, 1), sum); err != nil {
				t.Fatal(err)
			}
			if after == int64(i) {
				want = append(want, sum)
			}
		}
	}
	want = []mulligan.Summary{want[1], want[3], want[2], want[0]}
	got, err := s.j.Sessions(s.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("sessions:\n got %+v\nwant %+v", got, want)
	}
}

func testConcurrent(t *testing.T, s suite) {
	const sessions, batches = 8, 20
	id := func(i int) string { return fmt.Sprintf("202611%02d-000000-conc", i+1) }
	var group sync.WaitGroup
	for i := range sessions {
		group.Go(func() {
			for b := range int64(batches) {
				after := b * 3
				if err := s.j.Append(s.ctx(), id(i), after, Events(id(i), after, 3), Summary(id(i), after+3)); err != nil {
					t.Errorf("session %d: %v", i, err)
					return
				}
			}
		})
	}
	group.Wait()
	for i := range sessions {
		wantSame(t, s.read(t, id(i), 1), Events(id(i), 0, batches*3))
	}
	got, err := s.j.Sessions(s.ctx())
	if err != nil || len(got) != sessions {
		t.Errorf("%d sessions of %d, %v", len(got), sessions, err)
	}
	if slices.ContainsFunc(got, func(s mulligan.Summary) bool { return s.Events != batches*3 }) {
		t.Error("a summary is not the newest")
	}
}

func testFollow(t *testing.T, s suite) {
	s.append(t, session, 0, Events(session, 0, 3))
	seen := make(chan mulligan.Event)
	go func() {
		defer close(seen)
		for e, err := range s.j.Follow(s.ctx(), session, 1) {
			if err != nil {
				t.Error(err)
				return
			}
			seen <- e
			if e.Number == 9 {
				return
			}
		}
	}()
	var got []mulligan.Event
	take := func(n int) {
		t.Helper()
		for range n {
			e, ok := <-seen
			if !ok {
				t.Fatalf("it ended after %d events", len(got))
			}
			got = append(got, e)
		}
	}
	take(3)
	s.append(t, session, 3, Events(session, 3, 2))
	take(2)
	s.append(t, session, 5, Events(session, 5, 1))
	s.append(t, "20261115-000000-othr", 0, Events("20261115-000000-othr", 0, 2))
	s.append(t, session, 6, Events(session, 6, 3))
	take(4)
	if _, more := <-seen; more {
		t.Error("more than was appended")
	}
	wantSame(t, got, Events(session, 0, 9))
}

func testFollowFrom(t *testing.T, s suite) {
	s.append(t, session, 0, Events(session, 0, 5))
	ctx, cancel := context.WithCancel(s.ctx())
	defer cancel()
	var got []mulligan.Event
	for e, err := range s.j.Follow(ctx, session, 4) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
		if e.Number == 5 {
			s.append(t, session, 5, Events(session, 5, 2))
		}
		if e.Number == 7 {
			cancel()
		}
	}
	wantSame(t, got, Events(session, 3, 4))
}

func testFollowEnds(t *testing.T, s suite) {
	s.append(t, session, 0, Events(session, 0, 1))
	ctx, cancel := context.WithCancel(s.ctx())
	for _, err := range s.j.Follow(ctx, session, 1) {
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(10 * time.Millisecond)
			cancel()
		}()
	}
	if ctx.Err() == nil {
		t.Error("it ended before its context")
	}
	cancel()
}

// EveryKind returns the events of a session that has every kind of event, with as much in each as it can have.
func EveryKind(session string) []mulligan.Event {
	bodies := journal.Bodies()
	events := Events(session, 0, len(bodies))
	for i, body := range bodies {
		full := reflect.New(reflect.TypeOf(body)).Elem()
		fillFields(full, i+1)
		events[i].Body = full.Interface().(mulligan.Body)
	}
	return events
}

// fillFields sets every field of v to something that is not zero, so that one which the codec
// loses is noticed.
func fillFields(v reflect.Value, seed int) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 11, 15, 21, 46, seed%60, 123456789, time.UTC)))
		return
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes([]byte(`{"raw":[1,2.50,"<é>"]}`))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillFields(v.Field(i), seed+i)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillFields(v.Elem(), seed)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillFields(v.Index(0), seed)
		fillFields(v.Index(1), seed+1)
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fillFields(value, seed)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d: \"<é>\"\n& more", seed))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(seed) + 0.25)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(seed))
	default:
		panic("journaltest: no value for " + v.Type().String())
	}
}
