package view

import (
	"fmt"
	"time"

	"mulligan"
)

// A wait is a pause of the session: for a rate limit, or after something failed.
type wait struct {
	reason string
	until  time.Time
	most   time.Duration // a clock that is set back makes no wait longer
	limit  bool          // a rate limit's: the turn in flight waits for it, also in a process that resumed it
}

func (m *Model) waited(b mulligan.Waited, at time.Time) {
	m.wait = wait{reason: Line(b.Reason), until: b.Until, most: max(0, b.For), limit: b.Free}
	if b.Until.IsZero() {
		m.wait.until = at.Add(b.For)
	}
	m.run(OfWait, b.Reason, at)
}

// waitsOn is for a turn that is given again by another process: the session waits for the rest of the
// rate limit that it had met, and no event says so.
func (m *Model) waitsOn(at time.Time) {
	if m.wait.limit && m.wait.left(at) > 0 {
		m.snap.Running = &Activity{Kind: OfWait, Name: m.wait.reason, Since: at}
	}
}

func (w wait) left(now time.Time) time.Duration {
	return min(max(0, w.until.Sub(now)), w.most)
}

// counted is a wait as it stands; the turn that waited, where it has gone on: no event says that
// either.
func (m *Model) counted(a Activity, now time.Time) Activity {
	a.Left = m.wait.left(now)
	if a.Left == 0 && m.turn != nil {
		a = *m.turn
		a.Since = m.wait.until
		return a
	}
	a.Until = m.wait.until.In(now.Location())
	return a
}

// Waits says that the session does nothing but wait for a time to come.
func (s Snapshot) Waits() bool {
	return s.Running != nil && s.Running.Kind == OfWait && !s.Over()
}

// longWait is what is left of a wait that is counted down by the minute: nobody sits there
// watching the seconds.
const longWait = time.Hour

// Countdown is what is left of a wait, and how long that text stays true. It says 0:00 when the
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

// UntilWords is when a wait ends, "until 03:10", with the day where that is far off; nothing where
// it is over in a moment.
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

// WaitWords is a wait in the order in which people ask: "waiting until 03:10 (in 2h04m)".
func (a Activity) WaitWords() string {
	if until := a.UntilWords(); until != "" {
		return fmt.Sprintf("waiting %s (in %s)", until, Duration(a.Left))
	}
	return "waiting " + Duration(a.Left)
}
