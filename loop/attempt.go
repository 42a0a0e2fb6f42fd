package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mulligan"
)

// chooseStep finds the next step that is not done, or ends the session well. Before the first one
// come the session_start hooks.
func (s *Session) chooseStep(ctx context.Context) error {
	if s.state.Phase == mulligan.Starting {
		if err := s.runAgentSessionStartHooks(ctx); err != nil || s.isStopped(ctx) || s.state.Final != nil || s.state.Outcome != nil {
			return err
		}
		if err := s.runHooks(ctx, mulligan.SessionStart, true); err != nil || s.isStopped(ctx) {
			return err
		}
	}
	var skipped []string
	for i, step := range s.state.Steps {
		switch {
		case step.Status == mulligan.StatusSkipped:
			skipped = append(skipped, fmt.Sprintf("%q", step.Name))
		case !step.Done():
			return s.record(mulligan.StepStarted{Step: step.Name, Index: i})
		}
	}
	if o, waits := s.waitForGuard(); waits {
		return s.end(o)
	}
	if len(skipped) > 0 {
		return s.end(mulligan.Outcome{Ended: mulligan.GaveUp, Reason: "a person skipped " + strings.Join(skipped, ", ")})
	}
	return s.end(s.successOutcome())
}

func (s *Session) successOutcome() mulligan.Outcome {
	var unchecked, reasons, waived, caveats []string
	for _, step := range s.state.Steps {
		for _, gate := range step.Gates {
			caveats = append(caveats, gate.Caveats()...)
		}
		if step.Status != mulligan.StatusAccepted {
			continue
		}
		if len(step.By) == 0 {
			unchecked = append(unchecked, fmt.Sprintf("%q", step.Name))
		}
		waived = append(waived, step.Waived...)
	}
	if len(unchecked) > 0 {
		reasons = append(reasons, "nothing checked "+strings.Join(unchecked, ", "))
	}
	if reasons = append(reasons, waived...); len(reasons) == 0 {
		return mulligan.Outcome{Ended: mulligan.Verified, Notes: caveats, Warm: s.state.Warm}
	}
	return mulligan.Outcome{Ended: mulligan.Accepted, Reason: strings.Join(reasons, "; "), Notes: append(waived, caveats...)}
}

// prepareAttempt takes the snapshot and begins the next attempt, where the limits allow one.
func (s *Session) prepareAttempt(ctx context.Context) error {
	st := &s.state
	if st.Pausing != "" {
		return s.end(mulligan.Outcome{Ended: mulligan.Waiting, Reason: "paused " + st.Pausing})
	}
	if o, waits := s.waitForGuard(); waits && st.Plan.Loop != nil && !st.HasOtherItems() {
		return s.end(o)
	}
	if o, reached := s.attemptLimit(); reached {
		return s.end(o)
	}
	if wait := waitAfterFailures(st.FailedRow); wait > 0 {
		if err := s.pause(ctx, mulligan.Waited{For: wait, Reason: describeFailedRow(st.FailedRow)}); err != nil || s.isStopped(ctx) {
			return err
		}
	}
	if done, err := s.takeBaseline(ctx); !done || err != nil {
		return err
	}
	rolledBack, err := s.rollBack(ctx)
	if err != nil {
		return err
	}
	tree, err := s.takeSnapshot(ctx, "%d", st.Iteration+1)
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	started := mulligan.AttemptStarted{
		Step: s.step().Name, Attempt: s.nextAttempt(), Iteration: st.Iteration + 1,
		Strategy: st.Decision.Strategy, Snapshot: tree, RolledBack: rolledBack,
	}
	if !st.LacksSeen {
		if started.Lacks, err = s.Workspace.Lacks(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("looking at what the workspace has: %w", err)
		}
		started.LacksSeen = true
	}
	return s.record(started)
}

// keepWorkspace keeps the workspace as it is, or as it was last seen if the session has run nothing in it since. An
// interruption does not stop it.
func (s *Session) keepWorkspace(ctx context.Context, label string, args ...any) (mulligan.Tree, error) {
	look := mulligan.AtNothing
	if s.moved {
		look = mulligan.AtFiles
	}
	tree, err := s.Workspace.Take(context.WithoutCancel(ctx), s.id+"/"+fmt.Sprintf(label, args...), look)
	s.moved = err != nil || s.requests.hookRuns
	return tree, err
}

// takeSnapshot is keepWorkspace after something other than a turn. Where that has left more than a look may read, the
// workspace is put back to what was last seen there.
func (s *Session) takeSnapshot(ctx context.Context, label string, args ...any) (mulligan.Tree, error) {
	tree, err := s.keepWorkspace(ctx, label, args...)
	over, ok := errors.AsType[*mulligan.BoundError](err)
	last := s.lastSeen()
	if !ok || last.ID == "" {
		return tree, err
	}
	if err := s.Workspace.Lay(context.WithoutCancel(ctx), last); err != nil {
		return mulligan.Tree{}, err
	}
	if err := s.record(mulligan.Noted{Text: "the workspace was put back to what was last seen there: " + over.Error()}); err != nil {
		return mulligan.Tree{}, err
	}
	return s.keepWorkspace(ctx, label, args...)
}

// lastSeen returns the newest tree of the workspace that the session knows.
func (s *Session) lastSeen() mulligan.Tree {
	st := &s.state
	switch {
	case st.InFlight != nil:
		return st.InFlight.Before
	case st.Tree.ID != "":
		return st.Tree
	}
	return st.CommittedTree
}

// restoreTree puts the workspace back to a tree, and keeps what was there under a label, if it can be read. An interruption
// does not stop it.
func (s *Session) restoreTree(ctx context.Context, to mulligan.Tree, label string, args ...any) error {
	_, err := s.keepWorkspace(ctx, label, args...)
	if _, ok := errors.AsType[*mulligan.BoundError](err); err != nil && !ok {
		return err
	}
	return s.Workspace.Lay(context.WithoutCancel(ctx), to)
}

// nextAttempt returns the number of the next attempt. In a loop every iteration is one; in a
// pipeline one that the agent failed is taken again.
func (s *Session) nextAttempt() int {
	st := &s.state
	if st.Plan.Loop != nil {
		return st.Iteration + 1
	}
	a := st.CurrentAttempt()
	switch {
	case a == nil:
		return 1
	case a.Status != "":
		return a.Number + 1
	}
	return a.Number
}

// describeFailedRow returns the reason of a wait after failures of the agent itself.
func describeFailedRow(n int) string {
	if n == 1 {
		return "the agent failed"
	}
	return fmt.Sprintf("the agent failed %d times in a row", n)
}

// waitAfterFailures grows with the failures in a row: 1 s, 2 s, 4 s … a minute at most.
func waitAfterFailures(row int) time.Duration {
	if row == 0 {
		return 0
	}
	return min(time.Second<<min(row-1, 6), time.Minute)
}

// pause announces a wait, and waits.
func (s *Session) pause(ctx context.Context, w mulligan.Waited) error {
	if err := s.record(w); err != nil {
		return err
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	return s.sleep(ctx, w.For)
}
