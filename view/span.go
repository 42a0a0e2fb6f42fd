package view

import "time"

// A span adds up time that may be broken off and gone on with.
type span struct {
	spent time.Duration
	since time.Time
}

func (s *span) start(at time.Time) {
	if s.since.IsZero() {
		s.since = at
	}
}

func (s *span) stop(at time.Time) { s.spent, s.since = s.at(at), time.Time{} }

func (s *span) at(now time.Time) time.Duration {
	if s.since.IsZero() {
		return s.spent
	}
	return s.spent + max(0, now.Sub(s.since))
}
