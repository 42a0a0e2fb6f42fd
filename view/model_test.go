package view_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
	"mulligan/view/viewtest"
)

func texts(m *view.Model) string {
	var all []string
	for _, l := range m.Snapshot(viewtest.Begun).Lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n")
}

func fold(t *testing.T, name string) (*view.Model, viewtest.Stream) {
	t.Helper()
	for _, s := range viewtest.Streams() {
		if s.Name == name {
			m := view.NewModel()
			s.Play(m.Apply, m.Live)
			return m, s
		}
	}
	t.Fatalf("no stream %q", name)
	return nil, viewtest.Stream{}
}

func TestSecondAttempt(t *testing.T) {
	m, s := fold(t, "second-attempt")
	snap := m.Snapshot(s.Now)
	step := snap.Step()
	if step == nil || step.Name != "implement" || step.AttemptOf() != "attempt 2 of 4" || step.Status != view.Running {
		t.Fatalf("the step is %+v", step)
	}
	if snap.Running == nil || snap.Running.String() != "agent local" || snap.Running.Elapsed != 2*time.Second {
		t.Errorf("what runs is %+v", snap.Running)
	}
	if snap.Evidence == nil || snap.Evidence.Gate != "go test ./..." || !snap.FedBack {
		t.Errorf("the evidence is %+v, fed back %v", snap.Evidence, snap.FedBack)
	}
	for _, c := range step.Checks {
		if c.Status != "" || c.Running {
			t.Errorf("the new attempt begins with check %+v", c)
		}
	}
	if snap.Usage.InputTokens != 12_300 {
		t.Errorf("usage is %+v", snap.Usage)
	}
}

func TestVerifiedHasNoEvidenceLeft(t *testing.T) {
	m, s := fold(t, "verified")
	snap := m.Snapshot(s.Now)
	if snap.Evidence != nil || snap.Running != nil || !snap.Over() || snap.Step().Status != view.Verified {
		t.Errorf("evidence %v, running %v, over %v, step %v", snap.Evidence, snap.Running, snap.Over(), snap.Step().Status)
	}
	if later := m.Snapshot(s.Now.Add(time.Hour)); later.Elapsed != snap.Elapsed {
		t.Errorf("the clock of an ended session goes on: %s, then %s", snap.Elapsed, later.Elapsed)
	}
}

// The eight hours between the interruption and the resumption are nobody's time.
func TestElapsedLeavesDowntimeOut(t *testing.T) {
	m, s := fold(t, "resumed")
	snap := m.Snapshot(s.Now)
	if snap.Elapsed > time.Minute || snap.Step().Elapsed > time.Minute {
		t.Errorf("session %s, step %s", snap.Elapsed, snap.Step().Elapsed)
	}
	if snap.Over() || snap.Resumed != 1 || snap.PID != 4812 {
		t.Errorf("over %v, resumed %d, pid %d", snap.Over(), snap.Resumed, snap.PID)
	}
	later := m.Snapshot(s.Now.Add(5 * time.Second))
	if later.Step().Elapsed != snap.Step().Elapsed+5*time.Second {
		t.Errorf("the resumed step's clock stands still at %s", later.Step().Elapsed)
	}
}

// A killed session has no end in its journal: the time after its last event does not count.
func TestElapsedAfterAKill(t *testing.T) {
	tape := viewtest.NewTape().Say(mulligan.SessionStarted{Plan: &mulligan.Plan{}}).
		After(3 * time.Second).Say(mulligan.Noted{Text: "last words"}).
		After(24 * time.Hour).Say(mulligan.SessionResumed{PID: 2})
	m, s := view.NewModel(), tape.Stream("")
	s.Play(m.Apply, nil)
	if got := m.Snapshot(s.Now).Elapsed; got != 5*time.Second {
		t.Errorf("elapsed %s, want 5s", got)
	}
}

func TestRunAgainCountsAnew(t *testing.T) {
	s := viewtest.GaveUp()
	m := view.NewModel()
	s.Play(m.Apply, nil)
	plan := &mulligan.Plan{Pipeline: "default", Steps: []mulligan.Step{{Name: "implement", Retry: 1}, {Name: "review"}}}
	m.Apply(mulligan.Event{Session: viewtest.Session, Time: s.Now, Body: mulligan.SessionResumed{Again: true, Plan: plan, PID: 3}})
	snap := m.Snapshot(s.Now)
	if len(snap.Steps) != 2 || snap.Over() || snap.Evidence != nil {
		t.Fatalf("%d steps, over %v, evidence %v", len(snap.Steps), snap.Over(), snap.Evidence)
	}
	if st := snap.Steps[0]; st.Attempt != 0 || st.Max != 2 || st.Earlier != 4 || st.Status != view.Open {
		t.Errorf("the failed step is %+v", st)
	}
}

// After a wait for a rate limit the same turn resumes without an event.
func TestTheTurnGoesOnAfterARateLimit(t *testing.T) {
	m, s := fold(t, "rate-limited")
	waiting := m.Snapshot(s.Now).Running
	if waiting.Kind != view.OfWait || waiting.Left <= 0 || waiting.Left >= 20*time.Minute {
		t.Errorf("during the wait %+v runs", waiting)
	}
	after := m.Snapshot(s.Now.Add(time.Hour)).Running
	if after.String() != "agent local" {
		t.Errorf("after the wait %q runs", after)
	}
}

func TestOutputIsBounded(t *testing.T) {
	m := view.NewModel()
	for i := range 5_000 {
		m.Live(fmt.Appendf(nil, "line %d %s\n", i, strings.Repeat("x", i%700)))
	}
	m.Live([]byte(strings.Repeat("y", 1<<20)))
	snap := m.Snapshot(viewtest.Begun)
	if len(snap.Lines) > 2001 || snap.LinesEver != 5_001 {
		t.Errorf("%d lines are kept of %d", len(snap.Lines), snap.LinesEver)
	}
	for _, l := range snap.Lines {
		if len(l.Text) > 510 {
			t.Fatalf("a line has %d bytes", len(l.Text))
		}
	}
	if last := snap.Lines[len(snap.Lines)-2].Text; !strings.HasPrefix(last, "line 4999 ") {
		t.Errorf("the last whole line is %q", last)
	}
}

// Who joins in the middle gets no panic, whatever comes.
func TestAnyEventFirst(t *testing.T) {
	for _, b := range viewtest.Bodies() {
		m := view.NewModel()
		m.Apply(mulligan.Event{Session: "s", Number: 7, Time: viewtest.Begun, Body: b})
		m.Snapshot(viewtest.Begun)
	}
}

// Every text in a snapshot is fit for a terminal, whichever field of whichever event it came in.
func TestSnapshotsAreClean(t *testing.T) {
	for _, upTo := range viewtest.NastyEvents() {
		m := view.NewModel()
		for _, e := range upTo {
			m.Apply(e)
		}
		m.Live([]byte(viewtest.Nasty))
		walk(reflect.ValueOf(m.Snapshot(viewtest.Begun)), "Snapshot", func(path, s string) {
			if bad := unsafe(s); bad != "" {
				t.Errorf("after %s: %s has %s in %q", upTo[len(upTo)-1].Body.Kind(), path, bad, s)
			}
		})
	}
}

func walk(v reflect.Value, path string, visit func(path, s string)) {
	switch v.Kind() {
	case reflect.String:
		visit(path, v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	}
}

func BenchmarkLive(b *testing.B) {
	chunk := []byte(strings.Repeat("\x1b[32mok\x1b[0m  a line of output that is rather long, as they are\r\n", 400))
	m := view.NewModel()
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		m.Live(chunk)
	}
}
