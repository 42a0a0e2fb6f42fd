package loop

import (
	"context"
	"fmt"
	"math"
	"time"

	"mulligan"
)

// beginDelivery begins the final delivery, in which the agent is given what is still pending when
// the session ends. Where there is nothing to deliver, or nothing may be delivered, the session
// leaves at once.
func (s *Session) beginDelivery(ctx context.Context) error {
	st := &s.state
	if !st.EndsInterrupted() {
		if err := s.awaitTaskHooks(ctx); err != nil {
			return err
		}
	}
	pieces := st.Deliverable(st.Final.Outcome)
	if len(pieces) == 0 || ctx.Err() != nil {
		return s.leaveSession(ctx)
	}
	// What an interrupted turn, check or Stop hook had begun is put aside first: the resumed
	// session redoes that, on top of what the delivery leaves.
	if to := st.TreeBeforeCut(); to != nil {
		if err := s.restoreTree(ctx, *to, "%d-interrupted", st.Iteration); err != nil {
			return fmt.Errorf("putting aside what was interrupted: %w", err)
		}
	}
	tree, err := s.takeSnapshot(ctx, "%d-ending", st.Iteration)
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	agent := st.LastTurn.Agent
	if agent == "" {
		agent = st.Plan.Steps[min(st.Step, len(st.Plan.Steps)-1)].Agent
	}
	return s.promptAgent(ctx, mulligan.TurnStarted{
		Purpose: mulligan.ForDelivery, Within: s.finalTimeout(), Agent: agent, Conversation: st.LastTurn.Conversation, Before: tree,
		Prompt: s.Prompts.Delivery(st, st.Final.Outcome, pieces),
	}, pieces)
}

// takeDeliveryTurn gives what is pending to the agent, and what Stop hooks then find missing.
func (s *Session) takeDeliveryTurn(ctx context.Context) error {
	if err := s.takeOverTurn(ctx, *s.state.InFlight); err != nil {
		return err
	}
	turn := *s.state.InFlight
	result, took, err := s.runTurn(ctx, turn, s.limitToDelivery())
	if err != nil {
		return err
	}
	tree, err := s.takeSnapshot(ctx, "%d-delivered", s.state.Iteration)
	if err != nil {
		return fmt.Errorf("looking at what the final delivery left: %w", err)
	}
	return s.endTurn(ctx, turn, mulligan.TurnEnded{Turn: turn.Turn, Result: result, Tree: tree, Duration: took})
}

// abandonDelivery resumes a session that was killed in the middle of the final delivery. What a turn
// had only begun is put aside; what the delivery has done before that stays, and is examined with
// the rest.
func (s *Session) abandonDelivery(ctx context.Context) error {
	to := s.state.Tree
	if turn := s.state.InFlight; turn != nil {
		to = turn.Before
	}
	if err := s.restoreTree(ctx, to, "delivery-cut-short"); err != nil {
		return fmt.Errorf("putting aside what the final delivery had begun: %w", err)
	}
	return s.record(mulligan.DeliveryKept{Tree: to, Note: "it was cut short; what it had done before stays, and is examined with the rest"})
}

func (s *Session) finalTimeout() time.Duration { return s.state.FinalTimeout() }

// deliveryTimeLeft returns how much of its time the final delivery still has. All of its turns
// together have final_timeout, however often a Stop hook sends the agent back. Before the delivery
// there is no such limit.
func (s *Session) deliveryTimeLeft() time.Duration {
	if s.state.Final == nil {
		return math.MaxInt64
	}
	return max(s.finalTimeout()-s.state.Final.Took, 0)
}

// limitToDelivery limits what belongs to the final delivery to what is left of its time; before
// the delivery it limits nothing.
func (s *Session) limitToDelivery() limiter {
	if s.state.Final == nil {
		return unlimited
	}
	left := max(s.deliveryTimeLeft(), time.Millisecond)
	why := fmt.Errorf("longer than limits.final_timeout (%s)", s.finalTimeout())
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, left, why)
	}
}

func (s *Session) deliveryTimeReason() string {
	return fmt.Sprintf("the final delivery is out of time (limits.final_timeout is %s)", s.finalTimeout())
}
