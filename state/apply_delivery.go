package state

import (
	"time"

	"mulligan"
)

// beginEnding saves the attempt's progress: from here to the end, Progress is the final delivery's.
func (s *State) beginEnding(b mulligan.SessionEnding) {
	s.leaveEnding() // no session writes a second one; a made-up journal may
	s.Final = &Final{Outcome: b.Outcome, Saved: s.Progress, Settled: b.Settled}
	s.Phase, s.NextHook = mulligan.Finishing, 0
	if b.Settled {
		s.Phase = mulligan.Leaving
	}
	s.InFlight, s.Tree, s.Examination, s.Breach = nil, mulligan.Tree{}, Examination{}, nil
}

// leaveEnding takes the session back to where it was when it began to end. A conversation in which
// something was delivered is the one that later turns continue.
func (s *State) leaveEnding() {
	if s.Final == nil {
		return
	}
	conversation := s.LastTurn.Conversation
	s.Progress, s.Final = s.Final.Saved, nil
	if conversation != "" {
		s.LastTurn.Conversation = conversation
	}
}

// endDelivery takes in what a turn of the final delivery left.
func (s *State) endDelivery(b mulligan.TurnEnded, turn mulligan.TurnStarted) {
	f := s.Final
	if turn.Purpose == mulligan.ForDelivery {
		f.Before = turn.Before
	}
	f.Result, f.Took, f.Verdicts = &b.Result, f.Took+b.Duration, nil
	s.InFlight, s.Tree, s.Examination = nil, b.Tree, Examination{}
	s.Phase, s.Breach = mulligan.Examining, b.Breach
	if b.Result.Ending.Examined() && b.Breach == nil {
		s.enterStopHooks()
	}
}

// countDeliveryTime counts time that the final delivery takes, while that is under way.
func (s *State) countDeliveryTime(d time.Duration) {
	if s.Final != nil {
		s.Final.Took += d
	}
}

// applyDeliveryKept records what the workspace has from here on.
func (s *State) applyDeliveryKept(b mulligan.DeliveryKept) {
	f, abandoned := s.Final, s.Phase == mulligan.Abandoning
	s.keepUndelivered()
	s.Phase, s.Committing = mulligan.Leaving, nil
	if b.Note != "" {
		f.Outcome.Notes = append(f.Outcome.Notes, b.Note)
	}
	if b.Commit != "" {
		s.Head, s.CommittedTree = b.Commit, b.Tree
		f.Outcome.Commit = b.Commit
		if f.Outcome.Good() {
			f.Outcome.Tree = b.Tree
		}
	}
	if b.Tree.ID == "" {
		return
	}
	s.Tree = b.Tree
	changed := f.Result != nil && b.Tree.ID != f.Before.ID
	f.Saved.continueFrom(b.Tree, changed, changed && !b.Passed && s.HasStopHooks())
	if abandoned {
		s.leaveEnding()
	}
}

// continueFrom makes a tree, which may differ from what was examined, the work that a resumed session
// continues with. Gates that passed before have not seen that work: they examine it again, and before
// them the Stop hooks, where hooksFirst is set. A round that has failed stays failed.
func (p *Progress) continueFrom(tree mulligan.Tree, changed, hooksFirst bool) {
	passed := p.Phase == mulligan.Closing && p.Round.Status == mulligan.Pass
	switch {
	case p.InFlight != nil:
		p.InFlight.Before = tree
	case p.Phase == mulligan.Examining, passed && changed:
		p.Round, p.Tree, p.Examination = nil, tree, Examination{}
		p.Phase = mulligan.Examining
		if hooksFirst {
			p.Phase = mulligan.Stopping
		}
	case p.Phase == mulligan.Closing && changed:
		p.Tree = tree
	case p.Phase == mulligan.Stopping, p.Phase == mulligan.Erring:
		p.Tree = tree
		if p.StopHooks.Blocking != nil {
			blocked := *p.StopHooks.Blocking
			blocked.Tree = tree
			p.StopHooks.Blocking = &blocked
		}
	}
}
