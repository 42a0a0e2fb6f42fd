package plain_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"mulligan"
	"mulligan/view"
	"mulligan/view/plain"
	"mulligan/view/viewtest"
)

func TestLines(t *testing.T) {
	for _, s := range viewtest.Streams() {
		t.Run(s.Name, func(t *testing.T) {
			var b strings.Builder
			s.Play(plain.New(&b, plain.Options{}).Event, nil)
			viewtest.Golden(t, s.Name, b.String())
		})
	}
}

func TestStatus(t *testing.T) {
	for _, s := range viewtest.Streams() {
		t.Run(s.Name, func(t *testing.T) {
			m := view.NewModel()
			s.Play(m.Apply, m.Live)
			snap := m.Snapshot(s.Now)
			snap.Gone = s.Name == "running"
			var b strings.Builder
			plain.Status(&b, snap, plain.Options{})
			viewtest.Golden(t, "status-"+s.Name, b.String())
		})
	}
}

func TestVerbose(t *testing.T) {
	var b strings.Builder
	viewtest.Accepted().Play(plain.New(&b, plain.Options{Verbose: true}).Event, nil)
	for _, want := range []string{"agent finished  4.0s  12.3k tokens in, 840 out, $0.06", "│ Add and Sub are there."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// What a round came to its checks and hooks have said: the line is for who wants everything.
func TestARoundIsToldOnlyVerbosely(t *testing.T) {
	for verbose, want := range map[bool]bool{false: false, true: true} {
		var b strings.Builder
		viewtest.LoopOver().Play(plain.New(&b, plain.Options{Verbose: verbose}).Event, nil)
		if strings.Contains(b.String(), "round failed") != want || strings.Contains(b.String(), "round passed") != want {
			t.Errorf("verbose %v:\n%s", verbose, b.String())
		}
	}
}

// The notice keeps its form whatever the reason is.
func TestTheNoticeOfAHookRetry(t *testing.T) {
	for reason, want := range map[string]string{
		"3 tests fail":                   "  implement  [Hook retry 2/3: 3 tests fail]\n",
		"two\nlines\x1b[2J":              "  implement  [Hook retry 2/3: two lines]\n",
		strings.Repeat("long ", 100):     " long long…]\n",
		"it says [Hook retry 9/9: done]": "  implement  [Hook retry 2/3: it says [Hook retry 9/9: done]]\n",
	} {
		var b strings.Builder
		viewtest.NewTape().Say(
			mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "implement"}}}},
			mulligan.StepStarted{Step: "implement"}, mulligan.AttemptStarted{Step: "implement", Attempt: 1, Iteration: 1},
			mulligan.TurnStarted{Turn: 2, Agent: "a", Purpose: mulligan.ForHook, Retry: 2, Of: 3, Reason: reason},
		).Stream("").Play(plain.New(&b, plain.Options{}).Event, nil)
		if !strings.HasSuffix(b.String(), want) {
			t.Errorf("%q is told as\n%s", reason, b.String())
		}
	}
}

// A waiver stays in sight, wherever one looks.
func TestAWaiverStays(t *testing.T) {
	const warning = "[Warning: Hook retry limit (2) reached. Completing execution.]"
	var lines, status, outcome strings.Builder
	m := view.NewModel()
	viewtest.StopAccepted().Play(plain.New(&lines, plain.Options{}).Event, nil)
	viewtest.StopAccepted().Play(m.Apply, nil)
	plain.Status(&status, m.Snapshot(viewtest.Begun), plain.Options{})
	plain.Outcome(&outcome, m.Snapshot(viewtest.Begun), plain.Options{})
	for what, text := range map[string]string{"lines": lines.String(), "status": status.String(), "outcome": outcome.String()} {
		if !strings.Contains(text, "  why        "+warning+"\n") {
			t.Errorf("the %s do not say it:\n%s", what, text)
		}
	}
	// Where it is not why, it is a note.
	snap := m.Snapshot(viewtest.Begun)
	snap.Outcome.Reason = "interrupted by SIGINT"
	outcome.Reset()
	if plain.Outcome(&outcome, snap, plain.Options{}); !strings.Contains(outcome.String(), "  note       "+warning+"\n") {
		t.Errorf("the outcome is\n%s", outcome.String())
	}
}

// Colour changes nothing but colour, and without it there is none.
func TestColour(t *testing.T) {
	for _, s := range viewtest.Streams() {
		var with, without strings.Builder
		s.Play(plain.New(&with, plain.Options{Color: true}).Event, nil)
		s.Play(plain.New(&without, plain.Options{}).Event, nil)
		if strings.Contains(without.String(), "\x1b") {
			t.Errorf("%s: escape sequences without colour", s.Name)
		}
		if !strings.Contains(with.String(), "\x1b[") {
			t.Errorf("%s: no colour with colour", s.Name)
		}
		if strip(with.String()) != without.String() {
			t.Errorf("%s: colour changes the text", s.Name)
		}
	}
}

// strip takes out the colours that this package writes, and nothing else.
func strip(s string) string {
	var pairs []string
	for _, code := range []string{"0", "1", "2", "31", "32", "33"} {
		pairs = append(pairs, "\x1b["+code+"m", "")
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// Whatever field of whatever event it comes in, nothing reaches the terminal that the
// terminal would obey, and no text can pretend to be another line.
func TestNothingNastyIsWritten(t *testing.T) {
	for _, events := range viewtest.NastyEvents() {
		var b strings.Builder
		p, m := plain.New(&b, plain.Options{Verbose: true, Color: true}), view.NewModel()
		for _, e := range events {
			p.Event(e)
			m.Apply(e)
		}
		plain.Status(&b, m.Snapshot(viewtest.Begun), plain.Options{})
		plain.Outcome(&b, m.Snapshot(viewtest.Begun), plain.Options{})
		plain.Sessions(&b, []mulligan.Summary{{ID: viewtest.Nasty, Task: viewtest.Nasty, Step: viewtest.Nasty, Steps: 1, Ended: viewtest.Nasty}, {ID: "a", Name: viewtest.Nasty}}, plain.ListOptions{})
		for _, r := range strip(b.String()) {
			if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control)) {
				t.Fatalf("after %s: %U in\n%q", events[len(events)-1].Body.Kind(), r, b.String())
			}
		}
	}
}

func TestOutcomeOfSeveralSteps(t *testing.T) {
	m := view.NewModel()
	viewtest.TwoSteps().Play(m.Apply, nil)
	snap := m.Snapshot(viewtest.Begun.Add(time.Minute))
	snap.Place.Dir = "/home/ada/my work"
	snap.Folder, snap.Pipeline = "task's", "quick"
	snap.Outcome = &mulligan.Outcome{
		Ended: mulligan.LimitReached, Reason: "the limit of 100 turns is reached", Commit: "9f8e7d6c",
		Steps: []mulligan.StepOutcome{
			{Step: "implement", Status: "verified", Attempts: 1, Commit: "9f8e7d6c"},
			{Step: "review_1", Status: "failed", Attempts: 2},
			{Step: "review_2", Status: "open"},
		},
	}
	var b strings.Builder
	plain.Outcome(&b, snap, plain.Options{})
	viewtest.Golden(t, "outcome-several", b.String())
}

func TestNoOutcomeBeforeTheEnd(t *testing.T) {
	var b strings.Builder
	if plain.Outcome(&b, view.Snapshot{}, plain.Options{}); b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}

func TestSessions(t *testing.T) {
	now := viewtest.Begun
	list := []mulligan.Summary{
		{ID: "20261112-090000-aaaa", Updated: now.Add(-72 * time.Hour), Ended: mulligan.Verified, Step: "implement", StepNo: 2, Steps: 2, Task: "tasks/add.md"},
		{ID: "20261115-101500-bbbb", Updated: now.Add(-11 * time.Hour), Ended: mulligan.GaveUp, Step: "plan", StepNo: 1, Steps: 2, Task: "tasks/日本.md"},
		{ID: "20261115-210000-cccc", Updated: now.Add(-40 * time.Minute), PID: 1, Step: "plan", StepNo: 1, Steps: 1, Task: "a.md"},
		{ID: viewtest.Session, Updated: now.Add(-time.Second), PID: 2, Task: "b.md"},
		{ID: "20261115-214700-dddd", Updated: now.Add(-time.Second), PID: 2, Step: "calc", StepNo: 1, Steps: 1, Name: "calc", Task: "SPEC.md"},
		{ID: "20261115-214800-eeee", Updated: now.Add(-time.Second), Ended: mulligan.Waiting, Reason: "paused by mulligan pause", Name: "calc", Task: "SPEC.md"},
	}
	var b strings.Builder
	plain.Sessions(&b, list, plain.ListOptions{Now: now, Alive: func(s mulligan.Summary) bool { return s.PID == 2 }})
	plain.Sessions(&b, nil, plain.ListOptions{})
	viewtest.Golden(t, "sessions", b.String())
}
