package view

import (
	"fmt"
	"time"

	"mulligan"
)

// A wait is a pause of the session: for a rate limit, or after a failure.
type wait struct {
	reason string
	until  time.Time
	most   time.Duration // the wait gets no longer when the clock is set back
	limit  bool          // a rate limit's: the turn in flight waits for it, also in a process that resumed it
}

// trackWait notes a pause that begins.
func (m *Model) trackWait(b mulligan.Waited, at time.Time) {
	w := wait{reason: Line(b.Reason), until: b.Until, most: max(0, b.For), limit: b.Free}
	if b.Until.IsZero() {
		w.until = at.Add(b.For)
	}
	m.activity.wait = w
	m.activity.running = &Activity{Kind: OfWait, Name: w.reason, Since: at}
}

// resumeWait notes that another process takes a turn again: the session waits for the rest of the rate
// limit that the turn had met, and no event records that.
func (m *Model) resumeWait(at time.Time) {
	if w := m.activity.wait; w.limit && w.timeLeft(at) > 0 {
		m.activity.running = &Activity{Kind: OfWait, Name: w.reason, Since: at}
	}
}

// timeLeft returns what is left of a wait.
func (w wait) timeLeft(now time.Time) time.Duration {
	return min(max(0, w.until.Sub(now)), w.most)
}

// countDown returns a wait with the time that is left of it; or the turn that waited, if it has resumed,
// which no event records either.
func (t activity) countDown(a Activity, now time.Time) Activity {
	a.Left = t.wait.timeLeft(now)
	if a.Left == 0 && t.turn != nil {
		a = *t.turn
		a.Since = t.wait.until
		return a
	}
	a.Until = t.wait.until.In(now.Location())
	return a
}

// Waits reports whether the session does nothing but wait for a time to come.
func (s Snapshot) Waits() bool {
	return s.Running != nil && s.Running.Kind == OfWait && !s.Over()
}

// longWait is the time left from which on a wait is counted down by the minute: a person does not watch
// the seconds of a wait that long.
const longWait = time.Hour

// Countdown returns what is left of a wait, and how long that text stays true. It returns 0:00 when the
// wait is over, and not before.
func Countdown(left time.Duration) (text string, stays time.Duration) {
	left = max(0, left)
	up := (left + time.Second - 1).Truncate(time.Second)
	stays = left - up + time.Second + time.Millisecond // a little after the turn of the second
	if up < longWait {
		return Clock(up), stays
	}
	return fmt.Sprintf("%dh%02dm", int(up.Hours()), int(up.Minutes())%60), stays + up%time.Minute
}

// UntilWords returns when a wait ends, "until 03:10", with the day if that is far off; "" if it is over
// in a moment.
func (a Activity) UntilWords() string {
	switch long := a.Until.Sub(a.Since); {
	case long < time.Minute:
		return ""
	case long < 18*time.Hour:
		return "until " + a.Until.Format("15:04")
	case long < 6*24*time.Hour:
		return "until " + a.Until.Format("Mon 15:04")
	}
	return "until " + a.Until.Format("2 Jan 15:04")
}

// WaitWords returns a wait in the order in which people ask about it: "waiting until 03:10 (in 2h04m)".
func (a Activity) WaitWords() string {
	if until := a.UntilWords(); until != "" {
		return fmt.Sprintf("waiting %s (in %s)", until, Duration(a.Left))
	}
	return "waiting " + Duration(a.Left)
}
