package mulligan

import (
	"context"
	"fmt"
	"time"
)

// end decides how the session ends. What is pending is delivered first, and the session_end
// hooks run. A session that only waits for a person has not ended: it does neither.
func (s *Session) end(o Outcome) error {
	st := &s.state
	nothing := len(st.Pending) == 0 && len(st.Due) == 0 && !s.desk.running && len(st.Plan.Hooks[SessionEnd]) == 0 &&
		len(st.Plan.AgentHooks.Of(EventSessionEnd)) == 0
	if o.Ended == Waiting || nothing {
		return s.say(SessionEnded{Outcome: s.accounted(o)})
	}
	return s.say(SessionEnding{Outcome: s.accounted(o)})
}

// accounted is an outcome with what the session came to so far.
func (s *Session) accounted(o Outcome) Outcome {
	st := &s.state
	o.Turns, o.Judged, o.Worked, o.Usage = st.Spent.Turns, st.Spent.Judged, st.Worked, st.Spent.Usage
	o.Iterations = st.Iteration
	o.Tasks = TaskCount{All: len(st.Board.Tasks), Open: st.Board.Open()}
	o.Questions = st.Questions
	o.Steps, o.Undelivered = nil, nil
	for _, p := range st.Pending {
		o.Undelivered = append(o.Undelivered, p.Label())
	}
	if st.Step < len(st.Steps) && !o.Good() {
		o.Step = st.Steps[st.Step].Name
	}
	commit, tree := o.Commit, o.Tree
	for _, step := range st.Steps {
		o.Steps = append(o.Steps, stepOutcome(step))
		if step.Done() {
			o.Tree = step.Tree
			if step.Commit != "" {
				o.Commit = step.Commit
			}
		}
	}
	if st.Plan.Loop != nil && st.Head != st.Place.Base {
		o.Commit = st.Head
	}
	if st.Ending != nil && commit != "" {
		o.Commit = commit // the final delivery's
		if tree.ID != "" {
			o.Tree = tree
		}
	}
	return o
}

func stepOutcome(step StepState) StepOutcome {
	so := StepOutcome{Step: step.Name, Status: step.Status, Attempts: step.Earlier + len(step.Attempts), Commit: step.Commit, By: step.By}
	so.Turns, so.Judged, so.Usage = step.Spent.Turns, step.Spent.Judged, step.Spent.Usage
	if so.Status == StatusOpen || so.Status == StatusRunning {
		so.Status = "open"
	}
	return so
}

// finish takes a session that is ending to its end: the final delivery, its checks, the
// session_end hooks. Where it was interrupted this has a context of its own; else an
// interruption stops the delivery.
func (s *Session) finish(ctx context.Context) error {
	e := s.state.Ending
	interrupted := e.Outcome.Ended == Interrupted
	if interrupted {
		if err := s.awaitDue(ctx); err != nil { // those that the interruption has stopped
			return err
		}
		ctx = context.WithoutCancel(ctx)
	} else if s.owed { // the interruption was not of this end
		ctx = context.WithoutCancel(ctx)
	}
	switch {
	case e.CutShort:
		return s.abandonDelivery(ctx)
	case e.Closing:
		return s.close(ctx)
	case e.Turn != nil:
		return s.deliver(ctx)
	case e.Stopping && s.stopped(ctx): // not to be sent back, nor met by hooks, any more
		return s.settleDelivery(ctx, false, "the final delivery was interrupted")
	case e.Stopping:
		return s.stop(ctx)
	case e.Delivered:
		return s.reexamine(ctx)
	}
	if !interrupted {
		if err := s.awaitDue(ctx); err != nil {
			return err
		}
	}
	if len(s.state.Pending) == 0 || !s.deliverable(e.Outcome) || ctx.Err() != nil {
		return s.close(ctx)
	}
	return s.beginDelivery(ctx)
}

// deliverable says whether the agent can be given one more turn.
func (s *Session) deliverable(o Outcome) bool {
	return o.Ended != AgentUnavailable && o.Limit != "cost_usd" && o.Limit != "tokens"
}

// deliver gives what is pending to the agent, and what Stop hooks then find missing.
func (s *Session) deliver(ctx context.Context) error {
	st := &s.state
	e := st.Ending
	if s.mine != e.Turn.Turn {
		if err := s.takeUp(ctx, *e.Turn); err != nil {
			return err
		}
	}
	turn := *e.Turn
	result, took, err := s.take(ctx, turn, s.withinDelivery())
	if err != nil {
		return err
	}
	tree, err := s.snapshot(ctx, "%d-delivered", st.Iteration)
	if err != nil {
		return fmt.Errorf("looking at what the final delivery left: %w", err)
	}
	return s.say(TurnEnded{Turn: turn.Turn, Result: result, Tree: tree, Duration: took})
}

func (s *Session) finalTimeout() time.Duration {
	if d := s.state.Plan.Limits.FinalTimeout; d > 0 {
		return d
	}
	return 5 * time.Minute
}

// deliveryLeft is how much of its time the final delivery still has. All of its turns together
// have final_timeout, however often a Stop hook sends the agent back.
func (s *Session) deliveryLeft() time.Duration {
	return max(s.finalTimeout()-s.state.Ending.Took, 0)
}

// withinDelivery bounds what belongs to the final delivery by what is left of its time; before
// that it bounds nothing.
func (s *Session) withinDelivery() bounds {
	if s.state.Ending == nil {
		return unbounded
	}
	left := max(s.deliveryLeft(), time.Millisecond)
	why := fmt.Errorf("longer than limits.final_timeout (%s)", s.finalTimeout())
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, left, why)
	}
}

func unbounded(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }

func (s *Session) lateDelivery() string {
	return fmt.Sprintf("the final delivery is out of time (limits.final_timeout is %s)", s.finalTimeout())
}

// beginDelivery says that the delivery begins. What an interrupted turn, check or Stop hook had begun
// is put aside first: the resumed session redoes that, on top of what the delivery leaves.
func (s *Session) beginDelivery(ctx context.Context) error {
	st := &s.state
	if to := st.whole(); to != nil {
		label := fmt.Sprintf("%s/%d-interrupted", st.ID, st.Iteration)
		if err := s.Workspace.Restore(context.WithoutCancel(ctx), *to, label); err != nil {
			return fmt.Errorf("putting aside what was interrupted: %w", err)
		}
	}
	tree, err := s.snapshot(ctx, "%d-ending", st.Iteration)
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	agent := st.LastAgent
	if agent == "" {
		agent = st.Plan.Steps[min(st.Step, len(st.Plan.Steps)-1)].Agent
	}
	return s.prompted(ctx, TurnStarted{
		Purpose: ForDelivery, Agent: agent, Conversation: st.LastConversation, Before: tree,
		Prompt: s.Prompter.Delivery(st, st.Ending.Outcome, st.Pending),
	}, st.Pending)
}

// close runs the session_end hooks and ends the session. Those run under a context that an
// interruption has not ended; each has its own time limit.
func (s *Session) close(ctx context.Context) error {
	st := &s.state
	fresh := context.WithoutCancel(ctx)
	o := st.Ending.Outcome
	if o.Ended != Interrupted {
		if err := s.awaitDue(ctx); err != nil {
			return err
		}
	}
	if err := s.runHooks(fresh, SessionEnd, o.Good()); err != nil {
		return err
	}
	if !st.Ending.Parted {
		if _, err := s.agentHooks(fresh, 1, AgentHookCall{Event: EventSessionEnd, Reason: string(o.Ended)}); err != nil {
			return err
		}
	}
	if err := s.leave(ctx, &o); err != nil {
		return err
	}
	return s.say(SessionEnded{Outcome: s.accounted(o)})
}
