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
	ended := AttemptEnded{
		Step: s.step().Name, Attempt: st.currentAttempt().Number, Status: Fail,
		Reason: describeFailure(failure), Counted: failure.Ending == Refused,
	}
	if ended.Counted {
		ended.Fingerprint = s.fingerprint(Fail, ended.Reason)
	}
	err := s.record(ended)
	if err != nil || !isPermanent(failure) {
		return err
	}
	return s.end(Outcome{Ended: AgentUnavailable, Reason: fmt.Sprintf("agent %q is unavailable (%s): %s", s.agentName(), failure.Cause, failure.Reason)})
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
