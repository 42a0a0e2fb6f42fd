package view

import (
	"cmp"
	"fmt"
	"time"

	"mulligan"
)

// An Activity is what runs now.
type Activity struct {
	Kind    ActivityKind
	Name    string           // the agent, the check, the hook, the claimed item, the reason of a wait
	Purpose mulligan.Purpose // of an agent's turn, where it is not for an attempt
	// SentBack is set for a turn that Stop hooks asked for.
	SentBack *SentBack
	Since    time.Time
	Elapsed  time.Duration
	Within   time.Duration // the most that a final delivery may take
	Left     time.Duration // of a wait
	Until    time.Time     // the end of a wait, in the viewer's time zone
}

// ActivityKind is the sort of thing that runs.
type ActivityKind string

const (
	OfAgent  ActivityKind = "agent"
	OfCheck  ActivityKind = "check"
	OfWait   ActivityKind = "waiting"
	OfCommit ActivityKind = "commit"
	OfHook   ActivityKind = "hook"
	OfClaim  ActivityKind = "validating"
)

func (a Activity) String() string {
	return Join(" ", string(a.Kind), a.Name)
}

// Why returns why an agent is prompted, "" if it is for an attempt.
func (a Activity) Why() string {
	if a.SentBack == nil {
		return PurposeWords(a.Purpose)
	}
	return Join(", ", fmt.Sprintf("hook retry %d/%d", a.SentBack.Retry, a.SentBack.Of), PurposeWords(a.SentBack.Base))
}

// PurposeWords returns why an agent is prompted, "" if it is for an attempt.
func PurposeWords(p mulligan.Purpose) string {
	words := map[mulligan.Purpose]string{
		mulligan.ForNow:      "given at once what hooks said",
		mulligan.ForRecovery: "recovery",
		mulligan.ForHook:     "hook retry",
		mulligan.ForDelivery: "final delivery",
	}
	return cmp.Or(words[p], string(p))
}

// A SentBack is an agent's turn that Stop hooks asked for: they did not let it stop.
type SentBack struct {
	Retry, Of int
	Reason    string
	Base      mulligan.Purpose // of the turn that it was sent back from
}

// String returns the notice to the person.
func (s SentBack) String() string {
	return fmt.Sprintf("[Hook retry %d/%d: %s]", s.Retry, s.Of, s.Reason)
}

// SentBackBy returns what a turn records of the Stop hooks that asked for it, or nil if none did.
func SentBackBy(b mulligan.TurnStarted) *SentBack {
	if b.Purpose != mulligan.ForHook {
		return nil
	}
	return &SentBack{Retry: b.Retry, Of: b.Of, Reason: Line(b.Reason), Base: cleanValue(b.Base)}
}

// activity tracks what runs.
type activity struct {
	running *Activity
	turn    *Activity  // the turn in flight: after a wait for a rate limit it resumes without an event
	beside  []Activity // hooks that run while the agent works on
	wait    wait       // the last one, until the next turn
	silent  bool       // no live output has come since the turn began
	// validations are the agent's claims that are looked at now, the oldest first.
	validations []validation
}

// startActivity notes what runs now. Its output, if it has any, comes under a heading.
func (m *Model) startActivity(a Activity) {
	m.activity.running = &a
	if a.Kind != OfWait && a.Kind != OfCommit {
		m.output.addHeading(m.headOutput(a))
	}
}

// stopActivity notes that nothing runs now.
func (m *Model) stopActivity() { m.activity.running, m.activity.turn = nil, nil }

// headOutput returns the heading of an activity's output.
func (m *Model) headOutput(a Activity) string {
	if a.Kind != OfAgent {
		return a.String()
	}
	if a.Purpose != mulligan.ForAttempt {
		return a.String() + ", " + a.Why()
	}
	snap := outlineState(&m.state)
	snap.Steps = describeSteps(&m.state, m.start.Steps)
	if step := snap.Step(); step != nil && (step.Attempt > 1 || snap.Loop != nil) {
		return a.String() + ", " + snap.Try()
	}
	return a.String()
}

// runningAt returns what runs at a time, or nil if nothing does. If only a hook beside the agent runs,
// the session waits for that one.
func (t activity) runningAt(now time.Time) *Activity {
	var a Activity
	switch {
	case t.running != nil:
		a = *t.running
	case len(t.beside) > 0:
		a = t.beside[0]
	default:
		return nil
	}
	if a.Kind == OfWait {
		a = t.countDown(a, now)
	}
	a = t.addValidation(a)
	a.Elapsed = max(0, now.Sub(a.Since))
	return &a
}
