package loop

import (
	"context"
	"fmt"

	"mulligan"
	"mulligan/state"
)

// How many paths an outcome names: those that are not committed, and those that no commit can have.
const (
	maxUncommitted = 20
	maxLacking     = 3
)

// deliverLeft brings what the session leaves to the person's repository and ends the session. It comes last, after the
// session_end hooks.
func (s *Session) deliverLeft(ctx context.Context) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	st := &s.state
	s.moved = true // a person may have
	left, err := s.takeSnapshot(ctx, mulligan.LeftLabel)
	if err != nil {
		return fmt.Errorf("keeping what the session leaves: %w", err)
	}
	o := s.completeOutcome(st.Final.Outcome)
	handover, err := s.Store.Deliver(ctx, s.id+"/"+mulligan.LeftLabel, o.Good())
	if err != nil {
		return fmt.Errorf("delivering what the session leaves: %w", err)
	}
	if committed := st.CommittedTree; st.Plan.Git.Commit && committed.ID != "" && committed.ID != left.ID {
		paths, all, err := s.Store.Changed(ctx, committed, left, maxUncommitted)
		if err != nil {
			return fmt.Errorf("looking at what is not committed: %w", err)
		}
		handover.Uncommitted = addMore(paths, all-len(paths))
	}
	o.Left, o.Handover = left, &handover
	if err := s.noteLacks(ctx, &handover); err != nil {
		o.Notes = append(o.Notes, err.Error())
	}
	if o.Touched, err = s.listTouched(ctx, st.Began, left); err != nil {
		o.Notes = append(o.Notes, err.Error())
	}
	return s.record(mulligan.SessionEnded{Outcome: o})
}

// noteLacks notes what the workspace has and no commit does, where that is new since the session's start.
func (s *Session) noteLacks(ctx context.Context, h *mulligan.Handover) error {
	if !s.state.LacksSeen {
		return nil
	}
	lines, err := s.listLacks(ctx)
	if more := len(lines) - maxLacking; more > 0 {
		lines = append(lines[:maxLacking:maxLacking], fmt.Sprintf("nor %d more paths of the workspace", more))
	}
	h.Notes = append(h.Notes, lines...)
	return err
}

// EndKilled ends a session whose process was killed and that no process runs, as `mulligan stop` does. It can be resumed.
func (s *Session) EndKilled(ctx context.Context, state *state.State) error {
	s.adopt(state)
	s.Notify = nil // the person who gives the command is there
	if s.state.Outcome == nil {
		o := s.completeOutcome(mulligan.Outcome{Ended: mulligan.Interrupted, Reason: "its process was gone, and it was stopped"})
		if err := s.record(mulligan.SessionInterrupted{By: "mulligan stop"}, mulligan.SessionEnding{Outcome: o, Settled: true}); err != nil {
			return err
		}
	}
	for s.state.Outcome == nil {
		if err := s.advance(ctx); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}
