package mulligan

import (
	"context"
	"fmt"
)

// examine runs the gates in order, from the one that comes next. The first that does not
// pass ends the round; a broken one is run once more and then stops the session.
func (s *Session) examine(ctx context.Context) error {
	if err := s.backToTurn(ctx); err != nil {
		return err
	}
	gates, err := s.Gates(*s.step())
	if err != nil {
		return err
	}
	for s.state.Gate < len(gates) {
		if s.step().Checks[s.state.Gate].Final && s.state.Claim == nil {
			s.state.Gate++ // only a claim of completion has to pass it
			continue
		}
		v, err := s.ask(ctx, gates[s.state.Gate])
		if err != nil || s.stopped(ctx) {
			return err
		}
		switch v.Status {
		case Pass:
		case Fail:
			return s.roundEnds(Fail, v.Gate+": "+v.Summary)
		default:
			if s.state.GateTry >= 2 {
				return s.end(Outcome{Ended: GateBroken, Reason: fmt.Sprintf("check %q could not tell: %s", v.Gate, v.Summary), Evidence: &v})
			}
		}
	}
	return s.roundEnds(Pass, "")
}

// roundEnds says what the gates came to; the post_iteration hooks, where there are any, come
// before the attempt's end.
func (s *Session) roundEnds(status Status, reason string) error {
	if len(s.state.Plan.Hooks[PostIteration]) > 0 {
		return s.say(RoundEnded{Status: status, Reason: reason})
	}
	return s.say(AttemptEnded{Step: s.step().Name, Attempt: s.state.attempt().Number, Status: status, Reason: reason, Counted: true})
}

// conclude runs the post_iteration hooks. What one of them printed that delivers now is one
// more turn of this iteration, and the gates examine again.
func (s *Session) conclude(ctx context.Context) error {
	st := &s.state
	if err := s.runHooks(ctx, PostIteration, st.Round.Status == Pass); err != nil || s.stopped(ctx) {
		return err
	}
	if _, none := s.spent(); len(st.Aside) > 0 && !st.DeliveredNow && !none {
		tree, err := s.snapshot(ctx, "%d-now", st.Iteration)
		if err != nil {
			return fmt.Errorf("taking a snapshot of the workspace: %w", err)
		}
		return s.prompted(ctx, TurnStarted{
			Purpose: ForNow, Prompt: s.Prompter.Now(st.Aside), Conversation: s.conversation(), Before: tree,
		}, nil)
	}
	round := *st.Round
	return s.say(AttemptEnded{Step: s.step().Name, Attempt: st.attempt().Number, Status: round.Status, Reason: round.Reason, Counted: true})
}

// backToTurn makes the tree what the gate in flight found, where an earlier process ran that:
// it may have been cut short, and a person may have been here since. What the gates see is
// what is committed.
func (s *Session) backToTurn(ctx context.Context) error {
	st := &s.state
	if s.mine == st.Turn {
		return nil
	}
	to := st.Tree
	if st.Examined != nil {
		to = *st.Examined
	} else {
		st.Gate, st.GateTry = 0, 0 // stopped between two gates: what the first one wrote is not known
	}
	label := fmt.Sprintf("%s/%d-before-checks", st.ID, st.Iteration)
	if err := s.Workspace.Restore(context.WithoutCancel(ctx), to, label); err != nil {
		return fmt.Errorf("putting the workspace back to what turn %d left: %w", st.Turn, err)
	}
	s.mine = st.Turn
	return nil
}

// found is the workspace as the next gate finds it.
func (s *Session) found(ctx context.Context) (Tree, error) {
	st := &s.state
	if st.Gate == 0 && st.GateTry == 0 {
		return st.Tree, nil
	}
	tree, err := s.Workspace.Snapshot(context.WithoutCancel(ctx), fmt.Sprintf("%s/%d-checks", st.ID, st.Iteration))
	if err != nil {
		return Tree{}, fmt.Errorf("looking at what the checks left: %w", err)
	}
	return tree, nil
}

// ask runs one gate of the step.
func (s *Session) ask(ctx context.Context, gate Gate) (Verdict, error) {
	st := &s.state
	before, err := s.found(ctx)
	if err != nil {
		return Verdict{}, err
	}
	started := GateStarted{Index: st.Gate, Gate: s.step().Checks[st.Gate].Name, Try: st.GateTry + 1, Before: before}
	return s.inspect(ctx, gate, started, Work{Step: s.step().Name, Attempt: st.attempt().Number}, s.withinStep(), s.stepTimeReason())
}

// inspect has a gate look at the workspace. One that does not end within its bound fails, and
// late says why; one that is interrupted is run again as if it had not begun.
func (s *Session) inspect(ctx context.Context, gate Gate, started GateStarted, w Work, bound bounds, late string) (v Verdict, err error) {
	st := &s.state
	if err := s.say(started); err != nil {
		return v, err
	}
	w.Session, w.Iteration, w.Dir, w.Live = st.ID, st.Iteration, s.Workspace.Dir(), s.Records.Live()
	if w.Output, err = s.Records.GateOutput(st.Turn, started.Index, started.Try); err != nil {
		return v, err
	}
	if err := s.flush(ctx); err != nil {
		return v, err
	}
	began, over := s.Clock.Now(), false
	err = s.during(ctx, func(outer context.Context) {
		ctx, cancel := bound(outer)
		defer cancel()
		v = gate.Examine(ctx, w)
		over = ctx.Err() != nil
	})
	if err != nil || s.stopped(ctx) {
		return v, err
	}
	if over {
		v = Verdict{Status: Fail, Gate: started.Gate, Summary: late, Finding: v.Finding}
	}
	v.Duration = s.since(began)
	return v, s.say(GateEnded{Index: started.Index, Try: started.Try, Verdict: v})
}
