package mulligan

import (
	"context"
	"fmt"
)

// The labels of the snapshots that a session's end takes.
const (
	LeftLabel     = "left"     // what the session left
	returnedLabel = "returned" // what the person's checkout had when it was given back
	AsideLabel    = "aside"    // what was put aside, with a number: aside-1
)

// maxUncommitted is how many uncommitted paths an outcome names.
const maxUncommitted = 20

// leaveCheckout keeps what the session leaves, and then gives the person's checkout back, or ends the
// session where it stands. It comes last, after the session_end hooks.
func (s *Session) leaveCheckout(ctx context.Context) error {
	// The journal has the decision to end before git's own files are forgotten: a process that resumes the session would
	// miss them.
	if err := s.flush(ctx); err != nil {
		return err
	}
	if err := s.Workspace.ForgetGit(); err != nil {
		return fmt.Errorf("forgetting git's own files: %w", err)
	}
	left, err := s.takeSnapshot(ctx, LeftLabel)
	if err != nil {
		return fmt.Errorf("taking a snapshot of what the session leaves: %w", err)
	}
	stays := s.explainStay()
	if stays == "" && s.state.canReturn() {
		return s.record(CheckoutReturning{Return: s.planReturn(left)})
	}
	standing, err := s.Workspace.Stand(context.WithoutCancel(ctx), s.state.Place.Branch, s.id+"/"+LeftLabel)
	if err != nil {
		return fmt.Errorf("looking at what the session leaves: %w", err)
	}
	standing.Stays = stays
	return s.endStanding(ctx, left, standing)
}

// planReturn returns how the checkout is given back.
func (s *Session) planReturn(left Tree) Return {
	place := s.state.Place
	r := Return{From: place.Branch, To: place.Origin, Left: left, Theirs: place.Theirs}
	if r.To == "" {
		r.Commit = place.OriginHead
	}
	return r
}

// Enter has the workspace entered as SessionResumed says, after that is stored.
func (s *Session) Enter(ctx context.Context, enter func(Entry) error) error {
	entry := s.state.Entering
	if entry == nil {
		return nil
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	if err := enter(*entry); err != nil {
		return err
	}
	return s.record(CheckoutEntered{})
}

// GiveBack gives the checkout of a session that no process runs back to the person: it completes a
// return that a killed process began, ends a session that was killed, and returns a checkout that
// stayed on the session's branch. The work stays where it is, and the session can be resumed.
func (s *Session) GiveBack(ctx context.Context, state *State) error {
	s.adopt(state)
	s.Notify = nil // the person who gives the command is there
	st := &s.state
	if st.Outcome == nil && st.Phase != Returning {
		o := s.completeOutcome(Outcome{Ended: Interrupted, Reason: "its process was gone, and it was stopped"})
		if err := s.record(SessionInterrupted{By: "mulligan stop"}, SessionEnding{Outcome: o, Settled: true}); err != nil {
			return err
		}
	}
	if o := st.Outcome; o != nil && s.state.canReturn() && o.Standing != nil && !o.Standing.Returned {
		if err := s.record(CheckoutReturning{Return: s.planReturn(o.Left)}); err != nil {
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

// explainStay returns why the checkout stays on the session's branch although the person wants it back, or
// "" if it need not.
func (s *Session) explainStay() string {
	git, place, o := s.state.Plan.Git, s.state.Place, s.state.Final.Outcome
	switch {
	case place.Worktree || !place.HasOwnBranch() || !git.Return:
		return ""
	case place.Carried:
		return "your uncommitted work was taken along"
	case !git.Commit:
		return "nothing is committed (git.commit is false)"
	case o.Ended == Waiting:
		return "so that you can look"
	case s.Continues != nil && s.Continues(o):
		return "the folder gives it back after its last task"
	}
	return ""
}

// returnCheckout gives the person's checkout back and ends the session. What keeps it from that never
// changes the outcome.
func (s *Session) returnCheckout(ctx context.Context) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	r := *s.state.Final.Return
	standing, err := s.Workspace.Return(context.WithoutCancel(ctx), r, s.id+"/"+returnedLabel, s.id+"/"+AsideLabel)
	if err != nil {
		standing.Returned, standing.Stays = false, err.Error()
	}
	return s.endStanding(ctx, r.Left, standing)
}

// endStanding ends the session, with what it left and how the checkout stands.
func (s *Session) endStanding(ctx context.Context, left Tree, standing Standing) error {
	st := &s.state
	own := st.Place.HasOwnBranch() // else a person's commits are in between
	if committed := st.CommittedTree; own && st.Plan.Git.Commit && committed.ID != "" && committed.ID != left.ID {
		paths, all, err := s.Workspace.Changed(context.WithoutCancel(ctx), committed, left, maxUncommitted)
		if err != nil {
			return fmt.Errorf("looking at what is not committed: %w", err)
		}
		if more := all - len(paths); more > 0 {
			paths = append(paths, fmt.Sprintf("and %d more", more))
		}
		standing.Uncommitted = paths
	}
	o := s.completeOutcome(st.Final.Outcome)
	o.Left, o.Standing = left, &standing
	var err error
	if o.Touched, err = s.listTouched(ctx, st.Began, left); err != nil {
		o.Notes = append(o.Notes, err.Error())
	}
	return s.record(SessionEnded{Outcome: o})
}
