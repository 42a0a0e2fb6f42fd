package view

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// A Loop is what an open-ended session has that a pipeline has not.
type Loop struct {
	Iterations int // at most so many; 0: no such limit
	Before     int // iterations before the session was run again: the limit does not count them
}

// Try is the try under way: "iteration 3 of 20" in a loop, "attempt 2 of 4" in a pipeline; ""
// before the first.
func (s Snapshot) Try() string {
	step := s.Step()
	switch {
	case s.Loop == nil && (step == nil || step.Attempt == 0), s.Loop != nil && s.Iteration == 0:
		return ""
	case s.Loop == nil:
		return step.AttemptOf()
	case s.Loop.Iterations == 0:
		return fmt.Sprintf("iteration %d", s.Iteration)
	}
	return fmt.Sprintf("iteration %d of %d", s.Iteration, s.Loop.Before+s.Loop.Iterations)
}

// Name is the loop's, "" of a pipeline.
func (s Snapshot) Name() string {
	if s.Loop == nil || len(s.Steps) == 0 {
		return ""
	}
	return s.Steps[0].Name
}

// Paused says that a person has paused the session, and nobody has gone on with it.
func (s Snapshot) Paused() bool {
	return s.Outcome != nil && s.Outcome.Ended == mulligan.Waiting && Paused(s.Outcome.Reason)
}

// Paused tells a session that waits because it was paused from one that waits for an answer, by
// the reason that it gives.
func Paused(why string) bool { return strings.HasPrefix(why, "paused ") }

// PurposeWords say why an agent is prompted, where it is not for an attempt.
func PurposeWords(p mulligan.Purpose) string {
	switch p {
	case mulligan.ForNow:
		return "given at once what hooks said"
	case mulligan.ForRecovery:
		return "recovery"
	case mulligan.ForHook:
		return "hook retry"
	case mulligan.ForDelivery:
		return "final delivery"
	}
	return string(p)
}

// applyLoop takes what happens around attempts.
func (m *Model) applyLoop(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.RoundEnded:
		if b.Status == mulligan.Pass {
			m.snap.Evidence, m.snap.FedBack = nil, false
		}
	case mulligan.IterationKept:
		m.idle()
		if step := m.snap.Step(); step != nil && b.Commit != "" {
			step.Commit = Line(b.Commit)
		}
	case mulligan.Panicked:
		m.idle()
	case mulligan.Claimed:
		m.snap.Claimed = true
	case mulligan.Summarized:
		m.snap.Summary = Line(b.Text)
	case mulligan.SessionEnding:
		m.idle()
		m.snap.Ending = cleanOutcome(b.Outcome)
	case mulligan.DeliveryKept:
		m.idle()
		if b.Note != "" {
			m.note(b.Note)
		}
	default:
		if !m.applyHook(e) && !m.applyAgentHook(e) && !m.applyTask(e) {
			m.applyPeople(e)
		}
	}
}

func (m *Model) note(text string) {
	m.snap.Notes = append(m.snap.Notes, Line(text))
	m.snap.Notes = m.snap.Notes[max(0, len(m.snap.Notes)-keptNotes):]
}

// drain takes out what a prompt gives.
func (m *Model) drain(given []int64) {
	m.pending = slices.DeleteFunc(m.pending, func(n int64) bool { return slices.Contains(given, n) })
	m.snap.Pending = len(m.pending)
}

func (m *Model) pend(event int64) {
	m.pending = append(m.pending, event)
	m.snap.Pending = len(m.pending)
}
