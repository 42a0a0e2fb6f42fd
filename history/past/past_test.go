package past

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/history"
)

const root = "/src/app"

var start = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

// record returns the record of a session that ended n minutes after the start. steps has a letter for
// each step a, b, c …
func record(n int, ended mulligan.Ended, steps string) history.Session {
	r := history.Session{
		ID: fmt.Sprintf("20261102-%06d-abcd", n), Events: 10, Root: root, Pipeline: "default", Task: "T.md",
		Started: start, Finished: start.Add(time.Duration(n) * time.Minute), Ended: ended,
	}
	status := map[rune]history.StepStatus{
		'v': history.StepVerified, 'a': history.StepAccepted, 'f': history.StepFailed,
		's': history.StepSkipped, 'o': history.StepOpen, '-': history.StepUnreached,
	}
	for i, letter := range steps {
		r.Steps = append(r.Steps, history.Step{Name: string(rune('a' + i)), Status: status[letter], Attempts: 1})
	}
	return r
}

// retried returns the record with retries at step a, as "strategy" that failed or "strategy!" that
// passed.
func retried(r history.Session, strategies ...string) history.Session {
	for i, s := range strategies {
		name, worked := strings.CutSuffix(s, "!")
		retry := history.Retry{Attempt: i + 2, Strategy: name, Outcome: mulligan.Fail}
		if worked {
			retry.Outcome = mulligan.Pass
		}
		r.Steps[0].Retries = append(r.Steps[0].Retries, retry)
	}
	return r
}

// newBook returns an empty book, and the warnings that it has given.
func newBook(t *testing.T) (*Book, *[]string) {
	t.Helper()
	var warnings []string
	return New(filepath.Join(t.TempDir(), "history"), func(text string) { warnings = append(warnings, text) }), &warnings
}

func mustAdd(t *testing.T, b *Book, records ...history.Session) {
	t.Helper()
	if err := b.Add(context.Background(), records...); err != nil {
		t.Fatal(err)
	}
}

func ask(b *Book, step string, window int) mulligan.Past {
	return b.Past(context.Background(), mulligan.PastQuestion{Root: root, Pipeline: "default", Step: step, Window: window})
}

// R1: which sessions count, and how.
func TestWindow(t *testing.T) {
	v, g := mulligan.Verified, mulligan.GaveUp
	tests := []struct {
		name    string
		records []history.Session
		step    string
		window  int
		want    mulligan.Past
	}{
		{"no history", nil, "a", 10, mulligan.Past{}},
		{"the first failure", []history.Session{record(1, g, "f")}, "a", 10, mulligan.Past{Sessions: 1, Reached: 1, Failed: 1}},
		{
			"shorter than the window",
			[]history.Session{record(1, g, "f-"), record(2, v, "vv"), record(3, mulligan.Accepted, "va")},
			"b", 10,
			mulligan.Past{Sessions: 3, Reached: 2},
		},
		{
			"skipped and open have ended unverified",
			[]history.Session{record(1, v, "s"), record(2, mulligan.LimitReached, "o"), record(3, g, "f"), record(4, v, "a")},
			"a", 10,
			mulligan.Past{Sessions: 4, Reached: 4, Failed: 3},
		},
		{
			"only the newest, by their ends",
			[]history.Session{record(9, v, "v"), record(1, g, "f"), record(8, v, "v"), record(2, g, "f"), record(7, g, "f")},
			"a", 3,
			mulligan.Past{Sessions: 3, Reached: 3, Failed: 1},
		},
		{
			"interrupted, waiting, broken and unavailable ones do not count",
			[]history.Session{
				record(1, g, "f"), record(2, mulligan.Interrupted, "o"), record(3, mulligan.Waiting, "o"),
				record(4, mulligan.GateBroken, "o"), record(5, mulligan.AgentUnavailable, "o"),
			},
			"a", 2,
			mulligan.Past{Sessions: 1, Reached: 1, Failed: 1},
		},
		{
			"a step with another name has no history",
			[]history.Session{record(1, g, "f"), record(2, g, "f")},
			"renamed", 10,
			mulligan.Past{Sessions: 2},
		},
		{"a window of none", []history.Session{record(1, g, "f")}, "a", 0, mulligan.Past{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, warnings := newBook(t)
			mustAdd(t, b, test.records...)
			if got := ask(b, test.step, test.window); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if len(*warnings) > 0 {
				t.Error(*warnings)
			}
		})
	}
}

// TestOthersDoNotCount: other repositories, other pipelines, the session that asks.
func TestOthersDoNotCount(t *testing.T) {
	b, _ := newBook(t)
	elsewhere, other := record(1, mulligan.GaveUp, "f"), record(2, mulligan.GaveUp, "f")
	elsewhere.Root, other.Pipeline = "/src/other", "quick"
	loop := record(3, mulligan.GaveUp, "f")
	loop.Name, loop.Pipeline = "site", "loop"
	mustAdd(t, b, elsewhere, other, loop, retried(record(4, mulligan.GaveUp, "f"), "retry"), record(5, mulligan.Verified, "v"))
	q := mulligan.PastQuestion{Root: root, Pipeline: "default", Step: "a", Window: 10, Session: record(4, "", "").ID}
	if got, want := b.Past(context.Background(), q), (mulligan.Past{Sessions: 1, Reached: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	q.Pipeline = "site"
	if got, want := b.Past(context.Background(), q), (mulligan.Past{Sessions: 1, Reached: 1, Failed: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("a loop: got %+v, want %+v", got, want)
	}
}

// R6: how often attempts with a strategy have passed at a step, the plain retry too.
func TestStrategies(t *testing.T) {
	b, _ := newBook(t)
	open := retried(record(3, mulligan.Interrupted, "o"), "retry!")
	open.Steps[0].Retries[0].Outcome = ""
	mustAdd(t, b,
		retried(record(1, mulligan.Verified, "v"), "retry", "fresh-start!"), retried(record(2, mulligan.GaveUp, "f"), "retry", "retry", "incremental"), open,
		retried(record(4, mulligan.Interrupted, "o"), "fresh-start"),
	)
	want := []mulligan.StrategyPast{{Name: "fresh-start", Tried: 2, Worked: 1}, {Name: "incremental", Tried: 1}, {Name: "retry", Tried: 3}}
	if got := ask(b, "a", 10).Strategies; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := ask(b, "b", 10).Strategies; got != nil {
		t.Errorf("at another step: %+v", got)
	}
	q := mulligan.PastQuestion{Root: root, Pipeline: "default", Step: "a", Window: 10, Session: record(2, "", "").ID}
	want = []mulligan.StrategyPast{{Name: "fresh-start", Tried: 2, Worked: 1}, {Name: "retry", Tried: 1}}
	if got := b.Past(context.Background(), q).Strategies; !reflect.DeepEqual(got, want) {
		t.Errorf("without the session that asks: got %+v, want %+v", got, want)
	}
}

// TestReplaced: a session that is resumed or run again replaces its record; an older record does not.
func TestReplaced(t *testing.T) {
	b, _ := newBook(t)
	first := retried(record(1, mulligan.Interrupted, "o"), "retry")
	mustAdd(t, b, first, record(2, mulligan.Verified, "v"))
	again := retried(record(5000, mulligan.GaveUp, "f"), "retry", "rollback!")
	again.ID, again.Events, again.Resumes = first.ID, 20, 1
	mustAdd(t, b, again)
	mustAdd(t, b, again, first)
	want := mulligan.Past{
		Sessions: 2, Reached: 2, Failed: 1,
		Strategies: []mulligan.StrategyPast{{Name: "retry", Tried: 1}, {Name: "rollback", Tried: 1, Worked: 1}},
	}
	if got := ask(b, "a", 10); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got, err := b.Records(context.Background(), root)
	if err != nil || len(got) != 2 || got[1].ID != first.ID || got[1].Events != again.Events {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestNewest: the sessions that ended last are kept, whatever the order in which their records come.
func TestNewest(t *testing.T) {
	b, _ := newBook(t)
	var list []history.Session
	for i := range maxRecords + 100 {
		list = append(list, retried(record(i, mulligan.GaveUp, "f"), "retry"))
	}
	mustAdd(t, b, list[500:]...)
	mustAdd(t, b, list[:500]...)
	got, err := b.AllRecords(context.Background())
	if err != nil || len(got) != maxRecords || got[0].ID != list[100].ID || got[maxRecords-1].ID != list[len(list)-1].ID {
		t.Errorf("%d sessions, %v", len(got), err)
	}
	want := mulligan.Past{Sessions: maxRecords, Reached: maxRecords, Failed: maxRecords, Strategies: []mulligan.StrategyPast{{Name: "retry", Tried: maxRecords}}}
	if got := ask(b, "a", 9999); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestWritersAtOnce: what many write at the same time is all there.
func TestWritersAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	const writers, each = 6, 9
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			b := New(dir, func(text string) { t.Error(text) })
			for i := range each {
				r := retried(record(w*each+i, mulligan.GaveUp, "f"), "retry")
				if i%3 == 0 {
					r.Pipeline = "other"
				}
				if err := b.Add(context.Background(), r); err != nil {
					t.Error(err)
				}
				ask(b, "a", 10)
			}
		})
	}
	wg.Wait()
	b := New(dir, func(text string) { t.Error(text) })
	got, err := b.Records(context.Background(), root)
	if err != nil || len(got) != writers*each {
		t.Errorf("%d sessions of %d, %v", len(got), writers*each, err)
	}
	if got := ask(b, "a", 1000); got.Sessions != writers*each*2/3 || got.Strategies[0].Tried != got.Sessions {
		t.Errorf("%+v", got)
	}
	if got, err := filepath.Glob(filepath.Join(dir, ".new-*")); err != nil || len(got) > 0 {
		t.Errorf("left behind: %v, %v", got, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v, %v", info, err)
	}
}
