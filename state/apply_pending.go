package state

import (
	"slices"

	"mulligan"
)

// removeDelivered takes out what a turn that has come to its end has carried.
func (s *State) removeDelivered(turn mulligan.TurnStarted) {
	s.Pending = s.pendingBeside(&turn)
}

// keepUndelivered marks what the turn in flight has carried as given: that turn failed, or was cut
// short, and a later one carries it again.
func (s *State) keepUndelivered() {
	if s.InFlight == nil {
		return
	}
	pending := slices.Clone(s.Pending)
	for i := range pending {
		if p := &pending[i]; p.IsCarriedBy(s.InFlight) {
			p.Given, p.Turn = true, 0
		}
	}
	s.Pending = pending
}

// Waiting returns what is pending and in no turn yet: while the turn of an attempt runs, not what that
// turn carries.
func (s *State) Waiting() []mulligan.Piece {
	if s.Final != nil || s.Outcome != nil {
		return s.Pending
	}
	return s.pendingBeside(s.InFlight)
}

// pendingBeside returns what is pending and not carried by a turn, which may be nil.
func (s *State) pendingBeside(turn *mulligan.TurnStarted) []mulligan.Piece {
	return slices.DeleteFunc(slices.Clone(s.Pending), func(p mulligan.Piece) bool { return p.IsCarriedBy(turn) })
}

// Deliverable returns what a final delivery gives when the session ends with an outcome. What the
// interrupted turn carries is given again with that turn. What only people said to a session that a
// person stopped waits for them to resume it.
func (s *State) Deliverable(o mulligan.Outcome) []mulligan.Piece {
	if o.Ended == mulligan.AgentUnavailable || o.Limit == "cost_usd" || o.Limit == "tokens" {
		return nil // no turn may follow
	}
	pieces := s.pendingBeside(s.AttemptProgress().InFlight)
	ofHook := func(p mulligan.Piece) bool { return p.Moment != "" }
	if o.Ended == mulligan.Interrupted && !slices.ContainsFunc(pieces, ofHook) {
		return nil
	}
	return pieces
}
