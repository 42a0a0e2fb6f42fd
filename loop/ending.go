package loop

import (
	"context"
	"fmt"

	"mulligan"
)

// end decides how the session ends. What is pending is delivered first, and the session_end
// hooks run. A session that only waits for a person has not ended: it does neither.
func (s *Session) end(o mulligan.Outcome) error {
	st := &s.state
	nothingLeft := len(st.Deliverable(o)) == 0 && len(st.Hooks.Due) == 0 && !s.requests.hookRuns && len(st.Plan.Hooks[mulligan.SessionEnd]) == 0 &&
		len(st.Plan.AgentHooks.Of(mulligan.EventSessionEnd)) == 0
	return s.record(mulligan.SessionEnding{Outcome: s.completeOutcome(o), Settled: o.Ended == mulligan.Waiting || nothingLeft})
}

// completeOutcome adds what the session came to so far to an outcome.
func (s *Session) completeOutcome(o mulligan.Outcome) mulligan.Outcome {
	st := &s.state
	o.Turns, o.Judged, o.Worked, o.Usage = st.Spent.Turns, st.Spent.Judged, st.Worked, st.Spent.Usage
	o.Iterations, o.KeepersLost = st.Iteration, st.KeepersLost
	o.Tasks = mulligan.TaskCount{All: len(st.Board.Tasks), Open: st.Board.Open()}
	o.Questions, o.Steps, o.Undelivered = nil, nil, nil
	for i, q := range st.Questions {
		if q.By != "" || !st.IsOvertaken(i) {
			o.Questions = append(o.Questions, q)
		}
	}
	for _, p := range st.Pending {
		o.Undelivered = append(o.Undelivered, p.Label())
	}
	if st.Step < len(st.Steps) && !o.Good() {
		o.Step = st.Steps[st.Step].Name
	}
	commit, tree := o.Commit, o.Tree
	for _, step := range st.Steps {
		o.Steps = append(o.Steps, newStepOutcome(step))
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
	if st.Final != nil && commit != "" {
		o.Commit = commit // the final delivery's
		if tree.ID != "" {
			o.Tree = tree
		}
	}
	return o
}

func newStepOutcome(step mulligan.StepState) mulligan.StepOutcome {
	so := mulligan.StepOutcome{Step: step.Name, Status: step.Status, Attempts: step.Earlier + len(step.Attempts), Commit: step.Commit, By: step.By}
	if step.Done() {
		so.Gates, so.Tree, so.Waived = step.Gates, step.Tree, step.Waived
	}
	so.Turns, so.Judged, so.Usage = step.Spent.Turns, step.Spent.Judged, step.Spent.Usage
	if so.Status == mulligan.StatusOpen || so.Status == mulligan.StatusRunning {
		so.Status = "open"
	}
	return so
}

// endingContext returns the context of a session's end. The end of an interrupted session has one
// of its own, once the hooks that the interruption has stopped are gone; and so has an end that
// mustSettleFirst put before the interruption. Otherwise an interruption stops the delivery.
func (s *Session) endingContext(ctx context.Context) (context.Context, error) {
	if s.state.EndsInterrupted() {
		return context.WithoutCancel(ctx), s.awaitTaskHooks(ctx)
	}
	if s.deferred {
		return context.WithoutCancel(ctx), nil
	}
	return ctx, nil
}

// leaveSession runs the session_end hooks and ends the session. The hooks run under a context that
// no interruption ends; each has its own time limit.
func (s *Session) leaveSession(ctx context.Context) error {
	if s.state.Final.Settled {
		return s.deliverLeft(ctx)
	}
	fresh := context.WithoutCancel(ctx)
	o := s.state.Final.Outcome
	if o.Ended != mulligan.Interrupted {
		if err := s.awaitTaskHooks(ctx); err != nil {
			return err
		}
	}
	if len(s.state.HooksAt(mulligan.SessionEnd)) > 0 { // a hook that pushes finds the branch as it was delivered
		if err := s.Workspace.Ready(fresh); err != nil {
			return fmt.Errorf("making the workspace ready for the session_end hooks: %w", err)
		}
	}
	if err := s.runHooks(fresh, mulligan.SessionEnd, o.Good()); err != nil {
		return err
	}
	if !s.state.Final.Parted {
		if _, err := s.runAgentHooks(fresh, 1, mulligan.AgentHookCall{Event: mulligan.EventSessionEnd, Reason: string(o.Ended)}); err != nil {
			return err
		}
	}
	return s.deliverLeft(ctx)
}
