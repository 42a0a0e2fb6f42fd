package loop

import (
	"context"
	"fmt"

	"mulligan"
	"mulligan/internal/text"
)

// A round is one examination of what a turn left: of an attempt by its step's checks, or of the final
// delivery by the checks that the session's verified work has passed.
type round struct {
	step    mulligan.Step
	attempt int            // 0 for the final delivery
	limit   func() limiter // what is left of the time that all gates have, asked before each
	late    string         // the summary of a gate that limit ends
	// label marks what is kept between gates, undo what a restart puts aside.
	label, undo string
	// skipFinal reports whether to leave out the checks that only a claim of completion has to pass. A
	// claim may be taken back while a gate runs.
	skipFinal func() bool

	// What follows when all gates pass; when one fails, or is broken twice; when the session is
	// stopped meanwhile (what names what that cuts short); when Stop hooks still block at their limit;
	// and when they end the session.
	pass      func(ctx context.Context) error
	fail      func(ctx context.Context, v mulligan.Verdict) error
	interrupt func(ctx context.Context, what string) error
	giveUp    func(ctx context.Context, why string) error
	end       func(ctx context.Context, o mulligan.Outcome) error
}

// runGates runs the gates in order, from the one that comes next. The first that does not pass
// ends the round; a broken one is run once more first.
func (s *Session) runGates(ctx context.Context) error {
	if s.state.Final != nil {
		if settled, err := s.settleUnexamined(ctx); settled {
			return err
		}
	}
	r := s.newRound()
	gate, try, err := s.restoreForGates(ctx, r)
	if err != nil {
		return err
	}
	gates, err := s.Gates(r.step)
	if err != nil {
		return err
	}
	if s.state.Breach != nil {
		return s.failBreach(ctx, r)
	}
	for gate < len(gates) {
		if r.step.Checks[gate].Final && r.skipFinal() {
			gate, try = gate+1, 0
			continue
		}
		v, err := s.runGate(ctx, r, gates[gate], gate, try)
		switch {
		case err != nil:
			return err
		case s.isStopped(ctx):
			return r.interrupt(ctx, "the checks after the final delivery were interrupted")
		}
		gate, try = s.state.Examination.Gate, s.state.Examination.Try
		if v.Status == mulligan.Fail && !mayRepeat(r.step.Checks[gate], v, try) || v.Status == mulligan.Broken && try >= 2 {
			return r.fail(ctx, v)
		}
	}
	if v, err := s.proveFresh(ctx, r); err != nil || v != nil {
		if err != nil || s.isStopped(ctx) {
			return err
		}
		return r.fail(ctx, *v)
	}
	return r.pass(ctx)
}

// mayRepeat reports whether a check that failed, and was run so often already, is run again on the same
// tree. What is certain to come again, and what the step has no time for, is not.
func mayRepeat(check mulligan.CheckSpec, v mulligan.Verdict, runs int) bool {
	return runs <= check.Flaky && !v.Vacuous && !v.OutOfTime
}

func (s *Session) newRound() round {
	if s.state.Final != nil {
		return s.newDeliveryRound()
	}
	return s.newAttemptRound()
}

// newAttemptRound returns the examination of an attempt. An interrupted one is left as it is, for the
// resumed session.
func (s *Session) newAttemptRound() round {
	iteration := s.state.Iteration
	return round{
		step: *s.step(), attempt: s.state.CurrentAttempt().Number, limit: s.limitToStep, late: s.stepTimeReason(),
		label: fmt.Sprintf("%d-checks", iteration), undo: fmt.Sprintf("%d-before-checks", iteration),
		skipFinal: func() bool { return s.state.Claim == nil },
		pass:      func(context.Context) error { return s.endRound(mulligan.Pass, "") },
		fail: func(_ context.Context, v mulligan.Verdict) error {
			if v.Status == mulligan.Broken {
				return s.end(mulligan.Outcome{Ended: mulligan.GateBroken, Reason: fmt.Sprintf("check %q could not tell: %s", v.Gate, v.Summary), Evidence: &v})
			}
			return s.endRound(mulligan.Fail, v.Gate+": "+v.Summary)
		},
		interrupt: func(context.Context, string) error { return nil },
		giveUp: func(_ context.Context, why string) error {
			if s.state.StopHooks.Base == mulligan.ForRecovery {
				return nil // the attempt fails in any case
			}
			return s.endRound(mulligan.Fail, why)
		},
		end: func(_ context.Context, o mulligan.Outcome) error { return s.end(o) },
	}
}

// restoreForGates returns the gate to run next, and how often it was run already. Where an earlier process ran it, the
// workspace is first put back to what the gates examine: a person may have been here since.
func (s *Session) restoreForGates(ctx context.Context, r round) (gate, try int, err error) {
	st := &s.state
	e := st.Examination
	if s.ownTurn == st.Turn {
		s.tookOver = false
		return e.Gate, e.Try, nil
	}
	if err := s.restoreTree(ctx, st.Tree, "%s", r.undo); err != nil {
		return 0, 0, fmt.Errorf("putting the workspace back to what turn %d left: %w", st.Turn, err)
	}
	s.ownTurn, s.tookOver = st.Turn, e.Gate > 0 && !e.InFlight
	return e.Gate, e.Try, nil
}

// markFlaky returns the verdict of a gate that passed after it had failed so often on the same tree.
func markFlaky(v mulligan.Verdict, failed int) mulligan.Verdict {
	if failed == 0 {
		return v
	}
	v.Flaky = failed
	v.Summary = fmt.Sprintf("flaky: it passed after it had failed %s; %s", text.Times(failed), v.Summary)
	return v
}

// newWork returns what the gate of an index is to examine.
func (s *Session) newWork(r round, index int) mulligan.Work {
	st := &s.state
	w := mulligan.Work{
		Session: s.id, Step: r.step.Name, Attempt: r.attempt, Iteration: st.Iteration, Dir: s.Proof.Dir(), Live: s.Records.Live(),
		Workspace: s.Workspace.Dir(), IgnoredAtBase: s.IgnoredAtBase,
		Task: st.Plan.Task.Text, Verdicts: st.PassedBefore(r.step.Checks[:index]), BudgetUSD: st.BudgetUSD(),
	}
	from, to := st.CommittedTree, st.Tree
	w.Diff = func(ctx context.Context, limit int) (mulligan.Diff, error) { return s.Store.Diff(ctx, from, to, limit) }
	return w
}

// endRound records what the gates came to; the post_iteration hooks, where there are any, come
// before the attempt's end.
func (s *Session) endRound(status mulligan.Status, reason string) error {
	if len(s.state.Plan.Hooks[mulligan.PostIteration]) > 0 {
		return s.record(mulligan.RoundEnded{Status: status, Reason: reason})
	}
	return s.endAttempt(status, reason)
}

// endAttempt closes the attempt.
func (s *Session) endAttempt(status mulligan.Status, reason string) error {
	return s.record(mulligan.AttemptEnded{Step: s.step().Name, Attempt: s.state.CurrentAttempt().Number, Status: status, Reason: reason, Counted: true, Fingerprint: s.fingerprint(status, reason)})
}

// closeIteration runs the post_iteration hooks. What one of them printed that delivers now is one
// more turn of this iteration, and the gates examine again.
func (s *Session) closeIteration(ctx context.Context) error {
	st := &s.state
	if err := s.runHooks(ctx, mulligan.PostIteration, st.Round.Status == mulligan.Pass); err != nil || s.isStopped(ctx) {
		return err
	}
	if _, none := s.turnLimit(); len(st.MomentPieces) > 0 && !st.DeliveredNow && !none {
		tree, err := s.takeSnapshot(ctx, "%d-now", st.Iteration)
		if err != nil {
			return fmt.Errorf("taking a snapshot of the workspace: %w", err)
		}
		prompt, conversation := s.Prompts.Now(st.MomentPieces), s.attemptConversation()
		if conversation == "" {
			prompt = joinParagraphs(st.Prompt, prompt)
		}
		return s.promptAgent(ctx, mulligan.TurnStarted{Purpose: mulligan.ForNow, Prompt: prompt, Conversation: conversation, Before: tree}, nil)
	}
	return s.endAttempt(st.Round.Status, st.Round.Reason)
}
