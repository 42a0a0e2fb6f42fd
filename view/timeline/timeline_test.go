package timeline_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal"
	"mulligan/view"
	"mulligan/view/timeline"
	"mulligan/view/viewtest"
)

// print returns a timeline as text.
func print(t *timeline.Timeline, now time.Time) string {
	var b strings.Builder
	for _, r := range t.Rows() {
		fmt.Fprintf(&b, "%s %s%s  attempt %d, iteration %d  %s  %s  %s\n", r.Verdict.Sign(), r.Title, r.Step, r.Attempt, r.Iteration, r.Strategy, r.Took(now), r.Reason)
		for _, s := range r.Segments {
			fmt.Fprintf(&b, "    [%s %s] +%s for %s: %s %s\n", s.Kind, s.Name, s.Start.Sub(r.Start), s.Took(now), s.Verdict, s.Words)
		}
		for _, s := range r.Said {
			fmt.Fprintf(&b, "    %s %s: %s (event %d, turn %d)\n", s.Kind, s.Who, view.Join(" ", string(s.Verdict), s.Text), s.Event, s.Turn)
		}
	}
	for _, g := range t.Gaps() {
		fmt.Fprintf(&b, "gap of %s before iteration %d: %s\n", g.To.Sub(g.From), g.Before, g.Why)
	}
	return b.String()
}

func TestStreams(t *testing.T) {
	var all strings.Builder
	for _, s := range viewtest.Streams() {
		var line timeline.Timeline
		s.Play(line.Apply, nil)
		fmt.Fprintf(&all, "=== %s\n%s\n", s.Name, print(&line, s.Now))
	}
	viewtest.Golden(t, "streams", all.String())
}

func TestNothingNastyIsKept(t *testing.T) {
	for _, events := range viewtest.NastyEvents() {
		var line timeline.Timeline
		for _, e := range events {
			line.Apply(e)
		}
		if got := print(&line, viewtest.Begun); strings.ContainsAny(got, "\x1b\x07\u202e\u009b\r\x00") {
			t.Fatalf("after %T: %q", events[len(events)-1].Body, got)
		}
	}
}

// TestOldJournals folds every recorded journal, from its beginning and from the middle on.
func TestOldJournals(t *testing.T) {
	files, err := filepath.Glob("../../internal/cli/testdata/replay/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no journals: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var whole, late timeline.Timeline
		attempts := 0
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		var last mulligan.Event
		for i, l := range lines {
			e, err := journal.Decode(l)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := e.Body.(mulligan.AttemptStarted); ok {
				attempts++
			}
			whole.Apply(e)
			if i > len(lines)/2 {
				late.Apply(e)
			}
			last = e
		}
		rows := 0
		for _, r := range whole.Rows() {
			if r.Iteration > 0 {
				rows++
			}
			checkRow(t, file, r)
		}
		if rows != attempts {
			t.Errorf("%s: %d attempts make %d rows", file, attempts, rows)
		}
		if _, ended := last.Body.(mulligan.SessionEnded); ended && runs(&whole) {
			t.Errorf("%s has ended, and something runs:\n%s", file, print(&whole, whole.Last()))
		}
	}
}

// runs reports whether something in a timeline has no end.
func runs(t *timeline.Timeline) bool {
	return slices.ContainsFunc(t.Rows(), func(r timeline.Row) bool {
		return r.End.IsZero() || slices.ContainsFunc(r.Segments, func(s timeline.Segment) bool { return s.End.IsZero() })
	})
}

func checkRow(t *testing.T, file string, r timeline.Row) {
	t.Helper()
	for _, s := range r.Segments {
		if s.Start.Before(r.Start.Add(-time.Second)) || !s.End.IsZero() && s.End.Before(s.Start) {
			t.Errorf("%s: segment %+v of the row that begins at %v", file, s, r.Start)
		}
	}
}

func TestGaps(t *testing.T) {
	tape := viewtest.NewTape().Say(
		mulligan.SessionStarted{Plan: &mulligan.Plan{}},
		mulligan.AttemptStarted{Step: "a", Attempt: 1, Iteration: 1},
		mulligan.TurnStarted{Turn: 1, Agent: "x", Prompt: "do"}).
		After(time.Minute).Say(mulligan.Noted{Text: "half"}).
		After(8*time.Hour).Say(mulligan.SessionResumed{}, mulligan.TurnStarted{Turn: 1, Agent: "x", Again: true}).
		After(time.Minute).Say(mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}},
		mulligan.AttemptEnded{Attempt: 1, Status: mulligan.Pass, Counted: true})
	s := tape.Stream("killed")
	var line timeline.Timeline
	s.Play(line.Apply, nil)
	row := line.Attempt(1)
	if row == nil || row.Took(s.Now) != 2*time.Minute || row.Verdict != timeline.Passed {
		t.Errorf("the attempt took 2 minutes and passed; got\n%s", print(&line, s.Now))
	}
	if first := row.Segments[0]; first.Verdict != timeline.Cut || first.Took(s.Now) != time.Minute {
		t.Errorf("the turn that was killed: %+v", first)
	}
	if gaps := line.Gaps(); len(gaps) != 1 || gaps[0].Why != "killed" || gaps[0].To.Sub(gaps[0].From) != 8*time.Hour {
		t.Errorf("gaps: %+v", line.Gaps())
	}
}

// TestMemoryIsBounded gives a timeline more of everything than a session has, with large texts.
func TestMemoryIsBounded(t *testing.T) {
	var line timeline.Timeline
	huge := strings.Repeat("many words ", 100_000)
	n := int64(0)
	say := func(b mulligan.Body) {
		n++
		line.Apply(mulligan.Event{Number: n, Time: viewtest.Begun.Add(time.Duration(n) * time.Second), Body: b})
	}
	for i := 1; i <= 3_000; i++ {
		say(mulligan.AttemptStarted{Step: "a", Attempt: i, Iteration: i})
		say(mulligan.Noted{Text: huge[:1000]})
	}
	for i := range 10_000 {
		say(mulligan.GateStarted{Index: i, Gate: "check"})
		say(mulligan.Told{Text: huge})
		if i%2 == 0 {
			say(mulligan.SessionResumed{})
		}
	}
	rows := line.Rows()
	last := rows[len(rows)-1]
	if len(rows) > 1_000 || len(last.Segments) > 400 || len(last.Said) > 300 || len(line.Gaps()) > 200 {
		t.Errorf("%d rows, %d segments, %d entries, %d gaps", len(rows), len(last.Segments), len(last.Said), len(line.Gaps()))
	}
	if line.Earlier() != 2_000 || last.LeftOut == 0 {
		t.Errorf("%d rows came earlier, %d things were left out", line.Earlier(), last.LeftOut)
	}
	if text := last.Said[len(last.Said)-1].Text; len(text) > 1_000 {
		t.Errorf("an entry has %d bytes", len(text))
	}
}

func BenchmarkApply(b *testing.B) {
	s := viewtest.GaveUp()
	for b.Loop() {
		var line timeline.Timeline
		s.Play(line.Apply, nil)
	}
}
