package loop

import (
	"context"
	"fmt"

	"mulligan"
	"mulligan/internal/text"
)

// closeFailedIteration closes an attempt whose turn the agent failed: on_error hooks run, what they
// print goes to the agent in one recovery turn, and the iteration counts. A refusal is no error: the
// attempt has failed, and no hook runs.
func (s *Session) closeFailedIteration(ctx context.Context) error {
	st := &s.state
	failure := *st.Failure
	if failure.Ending != mulligan.Refused {
		if err := s.runHooks(ctx, mulligan.OnError, false); err != nil || s.isStopped(ctx) {
			return err
		}
		if _, none := s.turnLimit(); len(st.MomentPieces) > 0 && !isPermanent(failure) && !none {
			return s.promptRecovery(ctx, failure)
		}
	}
	ended := mulligan.AttemptEnded{
		Step: s.step().Name, Attempt: st.CurrentAttempt().Number, Status: mulligan.Fail,
		Reason: describeFailure(failure), Counted: failure.Ending == mulligan.Refused,
	}
	if ended.Counted {
		ended.Fingerprint = s.fingerprint(mulligan.Fail, ended.Reason)
	}
	err := s.record(ended)
	if err != nil || !isPermanent(failure) {
		return err
	}
	return s.end(mulligan.Outcome{Ended: mulligan.AgentUnavailable, Reason: fmt.Sprintf("agent %q is unavailable (%s): %s", s.agentName(), failure.Cause, failure.Reason)})
}

func (s *Session) promptRecovery(ctx context.Context, failure mulligan.Result) error {
	tree, err := s.takeSnapshot(ctx, "%d-failed", s.state.Iteration)
	if err != nil {
		return fmt.Errorf("looking at what the failed turn left: %w", err)
	}
	return s.promptAgent(ctx, mulligan.TurnStarted{
		Purpose: mulligan.ForRecovery, Prompt: s.Prompts.Recovery(failure, s.state.MomentPieces),
		Conversation: s.attemptConversation(), Before: tree,
	}, nil)
}

// isPermanent reports whether no further turn can help.
func isPermanent(r mulligan.Result) bool {
	return r.Ending == mulligan.Unavailable && r.Cause != mulligan.Network
}

// describeFailure returns a failed turn in a line.
func describeFailure(r mulligan.Result) string {
	if r.Reason == "" {
		return string(r.Ending)
	}
	return string(r.Ending) + ": " + text.Clip(r.Reason, maxReason)
}

// maxReason is how many characters of a reason an event and a prompt have.
const maxReason = 8000

// describeError returns the failed turn as on_error hooks get it: in a line, then all that the agent's
// program printed as its error. It fits an environment variable.
func (s *Session) describeError() string {
	r := *s.state.Failure
	whole := describeFailure(r)
	if r.Complaint != "" {
		whole += "\n\n" + r.Complaint
	}
	if r.ComplaintCut {
		whole += fmt.Sprintf("\n[the log of the turn has all of it: %s]", s.Records.TurnLog(s.state.Turn))
	}
	return whole
}
