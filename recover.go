package mulligan

import (
	"context"
	"fmt"
)

// recover closes an attempt whose turn the agent failed: on_error hooks run, what they print
// goes to the agent in one recovery turn, and the iteration counts. A refusal is no error: the
// attempt has failed, and no hook runs.
func (s *Session) recover(ctx context.Context) error {
	st := &s.state
	failure := *st.Failure
	if failure.Ending != Refused {
		if err := s.runHooks(ctx, OnError, false); err != nil || s.stopped(ctx) {
			return err
		}
		if _, none := s.spent(); len(st.Aside) > 0 && !gone(failure) && !none {
			return s.tryToRecover(ctx, failure)
		}
	}
	a := st.attempt()
	err := s.say(AttemptEnded{
		Step: s.step().Name, Attempt: a.Number, Status: Fail,
		Reason: failureText(failure), Counted: failure.Ending == Refused,
	})
	if err != nil || !gone(failure) {
		return err
	}
	return s.end(Outcome{Ended: AgentUnavailable, Reason: fmt.Sprintf("agent %q is unavailable (%s): %s", s.step().Agent, failure.Cause, failure.Reason)})
}

func (s *Session) tryToRecover(ctx context.Context, failure Result) error {
	tree, err := s.snapshot(ctx, "%d-failed", s.state.Iteration)
	if err != nil {
		return fmt.Errorf("looking at what the failed turn left: %w", err)
	}
	return s.prompted(ctx, TurnStarted{
		Purpose: ForRecovery, Prompt: s.Prompter.Recovery(failure, s.state.Aside),
		Conversation: s.conversation(), Before: tree,
	}, nil)
}

// gone says whether no further turn can help.
func gone(r Result) bool { return r.Ending == Unavailable && r.Cause != Network }

// failureText is a failed turn in a line.
func failureText(r Result) string {
	if r.Reason == "" {
		return string(r.Ending)
	}
	return string(r.Ending) + ": " + cut(r.Reason, maxReason)
}

// maxReason keeps what a hook gets in its environment far below what that can hold.
const maxReason = 8000

// conversation is the one that a turn in the middle of an attempt goes on with.
func (s *Session) conversation() string {
	st := &s.state
	if a := st.attempt(); a != nil && a.Result.Conversation != "" {
		return a.Result.Conversation
	}
	return st.Conversation
}
