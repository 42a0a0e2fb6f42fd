package view

import "time"

// A stopwatch adds up time that may be interrupted.
type stopwatch struct {
	spent time.Duration
	since time.Time
}

func (s *stopwatch) start(at time.Time) {
	if s.since.IsZero() {
		s.since = at
	}
}

func (s *stopwatch) stop(at time.Time) { s.spent, s.since = s.elapsedAt(at), time.Time{} }

// elapsedAt returns the time added up until now.
func (s *stopwatch) elapsedAt(now time.Time) time.Duration {
	if s.since.IsZero() {
		return s.spent
	}
	return s.spent + max(0, now.Sub(s.since))
}
