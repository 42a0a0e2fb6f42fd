package view

import "mulligan"

// A Tone is how a text looks on a terminal, as the parameters of an SGR sequence.
type Tone string

const (
	Usual Tone = ""
	Bold  Tone = "1"
	Quiet Tone = "2"
	Bad   Tone = "31"
	Good  Tone = "32"
	Warn  Tone = "33"
)

// StepMark returns the sign before a step.
func StepMark(s StepStatus) (mark string, t Tone) {
	switch s {
	case Verified:
		return "✓", Good
	case Accepted:
		return "✓", Warn
	case Failed:
		return "✗", Bad
	case Skipped:
		return "–", Warn
	case Running:
		return "●", Bold
	default:
		return "○", Quiet
	}
}

// Mark returns the sign before an open task.
func (t Task) Mark() (mark string, tone Tone) {
	switch {
	case t.Blocked:
		return "◌", Quiet
	case t.Status == mulligan.InProgress:
		return "●", Bold
	}
	return "○", Usual
}

// EndingWords returns how a session ended: in a word for a list, and as the title of a screen.
func EndingWords(e mulligan.Ended, paused bool) (word, title string, t Tone) {
	switch e {
	case mulligan.Verified:
		return "verified", "✓ verified", Good
	case mulligan.Accepted:
		return "accepted", "✓ accepted", Warn
	case mulligan.GaveUp:
		return "gave up", "✗ gave up", Bad
	case mulligan.LimitReached:
		return "limit", "✗ limit reached", Warn
	case mulligan.Waiting:
		if paused {
			return "paused", "paused", Warn
		}
		return "waiting", "waiting for you", Warn
	case mulligan.GateBroken:
		return "broken", "✗ gate broken", Bad
	case mulligan.AgentUnavailable:
		return "no agent", "✗ no agent", Bad
	default:
		return string(e), string(e), Warn
	}
}
