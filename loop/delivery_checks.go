package loop

import (
	"context"
	"fmt"
	"time"

	"mulligan"
)

// settleUnexamined settles a delivery that no check is to examine: one whose turn did not end well,
// and one whose checks have passed and whose commit a killed process had begun. It reports whether
// the delivery was one of these.
func (s *Session) settleUnexamined(ctx context.Context) (settled bool, err error) {
	if r := *s.state.Final.Result; !r.Ending.Examined() {
		return true, s.settleDelivery(ctx, false, "the final delivery did not end well ("+describeFailure(r)+")")
	}
	if s.state.Committing != nil {
		return true, s.settleDelivery(ctx, true, "")
	}
	return false, nil
}

// newDeliveryRound returns the examination of what the final delivery left. However it ends, the
// delivery is settled.
func (s *Session) newDeliveryRound() round {
	limit := s.limitDeliveryChecks()
	return round{
		step: mulligan.Step{Name: "delivery", Checks: s.deliveryChecks()}, limit: func() limiter { return limit },
		late:  fmt.Sprintf("the checks took longer than limits.final_timeout (%s)", s.finalTimeout()),
		label: fmt.Sprintf("%d-checks-of-delivery", s.state.Iteration), undo: "before-checks-of-delivery",
		skipFinal: func() bool { return false },
		pass: func(ctx context.Context) error {
			return s.settleDelivery(ctx, true, "")
		},
		fail: func(ctx context.Context, v mulligan.Verdict) error {
			return s.settleDelivery(ctx, false, fmt.Sprintf("after the final delivery %s did not pass (%s)", v.Gate, v.Summary))
		},
		interrupt: func(ctx context.Context, what string) error { return s.settleDelivery(ctx, false, what) },
		giveUp: func(ctx context.Context, why string) error {
			return s.settleDelivery(ctx, false, "in the final delivery "+why)
		},
		end: func(ctx context.Context, o mulligan.Outcome) error {
			return s.settleDelivery(ctx, false, "in the final delivery "+o.Reason)
		},
	}
}

// deliveryChecks returns the checks that the session's verified work has passed.
func (s *Session) deliveryChecks() []mulligan.CheckSpec {
	var checks []mulligan.CheckSpec
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
	return mulligan.JudgesLast(checks)
}

// limitDeliveryChecks limits the checks after the final delivery, all of them together, where the
// session was interrupted: a person waits for its end.
func (s *Session) limitDeliveryChecks() limiter {
	if !s.state.EndsInterrupted() {
		return unlimited
	}
	began := s.Clock.Now()
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, max(s.finalTimeout()-s.since(began), time.Millisecond))
	}
}

// settleDelivery makes the workspace, and the branch, what they are to be after the delivery: a pass
// commits what changed, a fail puts a session that was verified back to its verified tree.
func (s *Session) settleDelivery(ctx context.Context, passed bool, note string) error {
	st := &s.state
	f := st.Final
	kept := mulligan.DeliveryKept{Passed: passed, Tree: st.Tree, Note: note}
	changed := st.Tree.ID != f.Before.ID
	switch {
	case passed && changed && s.canCommitDelivery():
		commit, err := s.commitTree(ctx, st.Tree, s.deliveryMessage)
		if err != nil {
			return fmt.Errorf("committing what the final delivery changed: %w", err)
		}
		kept.Commit = commit
		if commit != "" {
			kept.Tree.Head = commit
		}
	case passed && changed && st.Plan.Git.Commit:
		kept.Note = fmt.Sprintf("what the final delivery changed is not committed: it stands beside the work on step %q, which is not finished", s.unfinishedStep())
	case !passed && f.Outcome.Good():
		if err := s.restoreTree(ctx, f.Before, "delivery-put-back"); err != nil {
			return fmt.Errorf("putting back the verified tree: %w", err)
		}
		kept.Tree = f.Before
		kept.Note = note + "; the verified tree was put back, and `mulligan take` has what was there"
	}
	return s.record(kept)
}

// canCommitDelivery reports whether what the delivery changed can be committed by itself: where a
// step of a pipeline is not finished, it is part of the work on that step, which its checks have not
// passed.
func (s *Session) canCommitDelivery() bool {
	return s.state.Plan.Loop != nil || s.unfinishedStep() == ""
}

// unfinishedStep returns the name of the first step that is not done, or "" if all are.
func (s *Session) unfinishedStep() string {
	for _, step := range s.state.Steps {
		if !step.Done() {
			return step.Name
		}
	}
	return ""
}
