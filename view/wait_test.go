package view_test

import (
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
	"mulligan/view/viewtest"
)

// By the second, by the minute above an hour; never less than nothing, and 0:00 only at the end.
func TestCountdown(t *testing.T) {
	for left, want := range map[time.Duration]string{
		-time.Hour: "0:00", 0: "0:00", 1: "0:01", time.Second: "0:01", 1001 * time.Millisecond: "0:02",
		18*time.Minute + 28*time.Second: "18:28", time.Hour - time.Second: "59:59",
		time.Hour - time.Millisecond: "1h00m", time.Hour: "1h00m", 124*time.Minute + 59*time.Second: "2h04m", 30 * time.Hour: "30h00m",
	} {
		if got, _ := view.Countdown(left); got != want {
			t.Errorf("%s is shown as %s, want %s", left, got, want)
		}
	}
}

// Who looks again when the text has had its time sees the next one, and looks no oftener than that.
func TestCountdownSkipsNothing(t *testing.T) {
	looks := map[string]int{}
	left := 62*time.Minute + 437*time.Millisecond
	for left > 0 {
		text, stays := view.Countdown(left)
		if looks[text]++; looks[text] > 1 {
			t.Fatalf("%s is drawn twice", text)
		}
		if stays <= 0 || stays > time.Minute+2*time.Second {
			t.Fatalf("%s stays for %s", text, stays)
		}
		left -= stays
	}
	if n := len(looks); n < 3600 || n > 3603 {
		t.Errorf("it was looked at %d times, want about once a second of the last hour and three times before", n)
	}
}

func limited(wait time.Duration) (*view.Model, viewtest.Stream) {
	s := viewtest.NewTape().Say(
		mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "implement"}}}},
		mulligan.StepStarted{Step: "implement"}, mulligan.AttemptStarted{Step: "implement", Attempt: 1, Iteration: 1},
		mulligan.TurnStarted{Turn: 1, Agent: "local"},
		mulligan.Waited{For: wait, Until: viewtest.Begun.Add(wait), Free: true, Reason: "the agent is rate limited"}).Stream("")
	m := view.NewModel()
	s.Play(m.Apply, nil)
	return m, s
}

// A clock that is set while the session waits makes the wait neither negative nor longer.
func TestAClockThatJumps(t *testing.T) {
	m, _ := limited(time.Hour)
	for jump, want := range map[time.Duration]time.Duration{10 * time.Minute: 50 * time.Minute, -5 * time.Hour: time.Hour} {
		if a := m.Snapshot(viewtest.Begun.Add(jump)).Running; a.Kind != view.OfWait || a.Left != want || a.Elapsed < 0 {
			t.Errorf("at %s: %+v, want %s left", jump, a, want)
		}
	}
	if a := m.Snapshot(viewtest.Begun.Add(50 * time.Hour)).Running; a.Kind != view.OfAgent || a.Left != 0 {
		t.Errorf("long after it %+v runs", a)
	}
}

// A process that takes the turn up again waits for the rest of the limit (A3) without an event.
func TestTheRestOfALimitAfterAResumption(t *testing.T) {
	m, s := limited(time.Hour)
	at := s.Now.Add(20 * time.Minute)
	for i, b := range []mulligan.Body{mulligan.SessionResumed{PID: 2}, mulligan.TurnStarted{Turn: 1, Agent: "local", Again: true}} {
		m.Apply(mulligan.Event{Session: viewtest.Session, Number: int64(6 + i), Time: at, Body: b})
		if a := m.Snapshot(at).Running; a == nil || a.Kind != view.OfWait || a.Left != 40*time.Minute-2*time.Second || a.Name != "the agent is rate limited" {
			t.Errorf("after %s %+v runs", b.Kind(), a)
		}
	}
	if a := m.Snapshot(at.Add(time.Hour)).Running; a.String() != "agent local" {
		t.Errorf("after the limit %+v runs", a)
	}
	m.Apply(mulligan.Event{Time: at, Body: mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}}})
	m.Apply(mulligan.Event{Time: at, Body: mulligan.TurnStarted{Turn: 2, Agent: "local", Again: true}})
	if a := m.Snapshot(at).Running; a.Kind != view.OfAgent {
		t.Errorf("the next turn waits for the limit of the last: %+v", a)
	}
}

// What is run again from its beginning waits for nothing that was.
func TestRunAgainWaitsForNoLimit(t *testing.T) {
	m, s := limited(time.Hour)
	m.Apply(mulligan.Event{Session: viewtest.Session, Number: 6, Time: s.Now, Body: mulligan.SessionResumed{PID: 2, Again: true}})
	if snap := m.Snapshot(s.Now); snap.Waits() {
		t.Errorf("%+v runs", snap.Running)
	}
}

func TestWaitWords(t *testing.T) {
	east := time.FixedZone("east", 2*60*60)
	for wait, want := range map[time.Duration]string{
		30 * time.Second:   "waiting 30s",
		20 * time.Minute:   "waiting until 00:06 (in 20m00s)",
		10 * time.Hour:     "waiting until 09:46 (in 10h00m)",
		30 * time.Hour:     "waiting until Tue 05:46 (in 30h00m)",
		24 * 8 * time.Hour: "waiting until 23 Nov 23:46 (in 192h00m)",
		-30 * time.Second:  "agent local",
	} {
		m, _ := limited(wait)
		a := m.Snapshot(viewtest.Begun.In(east)).Running
		got := a.WaitWords()
		if a.Kind != view.OfWait {
			got = a.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", wait, got, want)
		}
	}
}
