package mulligan

import (
	"context"
	"fmt"

	"mulligan/internal/text"
)

// closeFailedIteration closes an attempt whose turn the agent failed: on_error hooks run, what they
// print goes to the agent in one recovery turn, and the iteration counts. A refusal is no error: the
// attempt has failed, and no hook runs.
func (s *Session) closeFailedIteration(ctx context.Context) error {
	st := &s.state
	failure := *st.Failure
	if failure.Ending != Refused {
		if err := s.runHooks(ctx, OnError, false); err != nil || s.isStopped(ctx) {
			return err
		}
		if _, none := s.turnLimit(); len(st.MomentPieces) > 0 && !isPermanent(failure) && !none {
			return s.promptRecovery(ctx, failure)
		}
	}
	err := s.record(AttemptEnded{
		Step: s.step().Name, Attempt: st.currentAttempt().Number, Status: Fail,
		Reason: describeFailure(failure), Counted: failure.Ending == Refused,
	})
	if err != nil || !isPermanent(failure) {
		return err
	}
	return s.end(Outcome{Ended: AgentUnavailable, Reason: fmt.Sprintf("agent %q is unavailable (%s): %s", s.step().Agent, failure.Cause, failure.Reason)})
}

func (s *Session) promptRecovery(ctx context.Context, failure Result) error {
	tree, err := s.takeSnapshot(ctx, "%d-failed", s.state.Iteration)
	if err != nil {
		return fmt.Errorf("looking at what the failed turn left: %w", err)
	}
	return s.promptAgent(ctx, TurnStarted{
		Purpose: ForRecovery, Prompt: s.Prompts.Recovery(failure, s.state.MomentPieces),
		Conversation: s.attemptConversation(), Before: tree,
	}, nil)
}

// isPermanent reports whether no further turn can help.
func isPermanent(r Result) bool { return r.Ending == Unavailable && r.Cause != Network }

// describeFailure returns a failed turn in a line.
func describeFailure(r Result) string {
	if r.Reason == "" {
		return string(r.Ending)
	}
	return string(r.Ending) + ": " + text.Clip(r.Reason, maxReason)
}

// maxReason keeps what a hook gets in its environment far below what that can hold.
const maxReason = 8000
