package state

import (
	"time"

	"mulligan"
)

func (s *State) FinalTimeout() time.Duration {
	if d := s.Plan.Limits.FinalTimeout; d > 0 {
		return d
	}
	return 5 * time.Minute
}

// LastTurnIfStopped returns how many texts the agent would be given in a last turn if a person stopped
// the session now, and how long that turn may take. It returns 0 where no such turn would follow.
func (s *State) LastTurnIfStopped() (texts int, within time.Duration) {
	if s.Final != nil || s.Outcome != nil {
		return 0, 0
	}
	if texts = len(s.Deliverable(mulligan.Outcome{Ended: mulligan.Interrupted})); texts == 0 {
		return 0, 0
	}
	return texts, s.FinalTimeout()
}
