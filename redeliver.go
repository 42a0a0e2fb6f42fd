package mulligan

import (
	"context"
	"fmt"
	"time"
)

// reexamine runs the checks again on what the final delivery left: a pass commits what
// changed, a fail puts a session that was verified back to its verified tree.
func (s *Session) reexamine(ctx context.Context) error {
	e := s.state.Ending
	if !e.Result.Ending.Examined() {
		return s.settleDelivery(ctx, false, "the final delivery did not end well ("+failureText(e.Result)+")")
	}
	if s.state.Committing != nil {
		return s.settleDelivery(ctx, true, "") // killed while it was committed
	}
	if err := s.backToDelivery(ctx); err != nil {
		return err
	}
	step := Step{Name: "delivery", Checks: s.checksAgain()}
	gates, err := s.Gates(step)
	if err != nil {
		return err
	}
	bound := s.checkTime()
	for e.Gate < len(gates) {
		v, err := s.askAgain(ctx, step.Checks[e.Gate], gates[e.Gate], bound)
		if err != nil {
			return err
		}
		switch {
		case s.stopped(ctx):
			return s.settleDelivery(ctx, false, "the checks after the final delivery were interrupted")
		case v.Status == Fail || v.Status == Broken && e.Try >= 2:
			return s.settleDelivery(ctx, false, fmt.Sprintf("after the final delivery %s did not pass (%s)", v.Gate, v.Summary))
		}
	}
	return s.settleDelivery(ctx, true, "")
}

// backToDelivery makes the tree what the gate in flight found, where an earlier process ran it.
func (s *Session) backToDelivery(ctx context.Context) error {
	st := &s.state
	if s.mine == st.Turn {
		return nil
	}
	e := st.Ending
	to := e.Tree
	if e.Examined != nil {
		to = *e.Examined
	} else {
		e.Verdicts, e.Gate, e.Try = nil, 0, 0
	}
	label := st.ID + "/before-checks-of-delivery"
	if err := s.Workspace.Restore(context.WithoutCancel(ctx), to, label); err != nil {
		return fmt.Errorf("putting the workspace back to what the final delivery left: %w", err)
	}
	s.mine = st.Turn
	return nil
}

// checksAgain are the checks that what the session has verified passed.
func (s *Session) checksAgain() []CheckSpec {
	var checks []CheckSpec
	for i, step := range s.state.Plan.Steps {
		if s.state.Plan.Loop == nil && !s.state.Steps[i].Done() {
			continue
		}
		for _, c := range step.Checks {
			if !c.Inverted {
				checks = append(checks, c)
			}
		}
	}
	return checks
}

// askAgain runs one gate after the final delivery.
func (s *Session) askAgain(ctx context.Context, check CheckSpec, gate Gate, bound bounds) (v Verdict, err error) {
	e := s.state.Ending
	started := GateStarted{Index: e.Gate, Gate: check.Name, Try: e.Try + 1, Before: e.Tree}
	if e.Gate > 0 || e.Try > 0 {
		if started.Before, err = s.snapshot(ctx, "%d-checks-of-delivery", s.state.Iteration); err != nil {
			return v, fmt.Errorf("looking at what the checks left: %w", err)
		}
	}
	late := fmt.Sprintf("the checks took longer than limits.final_timeout (%s)", s.finalTimeout())
	return s.inspect(ctx, gate, started, Work{Step: "delivery"}, bound, late)
}

// checkTime bounds the checks after the final delivery, all of them together, where the session
// was interrupted: whoever did that waits for its end.
func (s *Session) checkTime() bounds {
	if s.state.Ending.Outcome.Ended != Interrupted {
		return unbounded
	}
	began := s.Clock.Now()
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, max(s.finalTimeout()-s.since(began), time.Millisecond))
	}
}

// settleDelivery makes the workspace, and the branch, what they are to be after the delivery.
func (s *Session) settleDelivery(ctx context.Context, passed bool, note string) error {
	st := &s.state
	e := st.Ending
	kept := DeliveryKept{Passed: passed, Tree: e.Tree, Note: note}
	changed := e.Tree.ID != e.Before.ID
	switch {
	case passed && changed && s.separable(e):
		commit, err := s.committed(ctx, e.Tree)
		if err != nil {
			return fmt.Errorf("committing what the final delivery changed: %w", err)
		}
		kept.Commit = commit
		if commit != "" {
			kept.Tree.Head = commit
		}
	case passed && changed && st.Plan.Git.Commit:
		kept.Note = "what the final delivery changed stands beside work that is not verified, and is not committed"
	case !passed && e.Outcome.Good():
		label := st.ID + "/delivery-put-back"
		if err := s.Workspace.Restore(context.WithoutCancel(ctx), e.Before, label); err != nil {
			return fmt.Errorf("putting back the verified tree: %w", err)
		}
		kept.Tree = e.Before
		kept.Note = note + "; the verified tree was put back, and `mulligan restore` has what was there"
	}
	return s.say(kept)
}

// abandonDelivery goes on with a session that was killed in the middle of the final delivery. What a turn
// had only begun is put aside; what the delivery has done before that stays, and is examined with the rest.
func (s *Session) abandonDelivery(ctx context.Context) error {
	e := s.state.Ending
	to := e.Tree
	if e.Turn != nil {
		to = e.Turn.Before
	}
	if err := s.Workspace.Restore(context.WithoutCancel(ctx), to, s.state.ID+"/delivery-cut-short"); err != nil {
		return fmt.Errorf("putting aside what the final delivery had begun: %w", err)
	}
	return s.say(DeliveryKept{Tree: to, Note: "it was cut short; what it had done before stays, and is examined with the rest"})
}

// separable says whether what the delivery changed can be committed by itself: where a step of
// a pipeline has failed, its work stands in the same tree.
func (s *Session) separable(e *EndingState) bool {
	return s.state.Plan.Loop != nil || e.Outcome.Good() || e.Before.ID == s.state.Kept.ID
}
