package loop

import (
	"context"
	"slices"

	"mulligan"
)

// runAgentSessionStartHooks runs the SessionStart hooks, once.
func (s *Session) runAgentSessionStartHooks(ctx context.Context) error {
	if s.state.Hooks.Greeted {
		return nil
	}
	reply, err := s.runAgentHooks(ctx, 1, mulligan.AgentHookCall{Event: mulligan.EventSessionStart, Source: "startup"})
	if err != nil || s.isStopped(ctx) || reply.Decision != mulligan.Halt {
		return err
	}
	return s.end(mulligan.Outcome{Ended: mulligan.GaveUp, Reason: "a SessionStart hook ended the session: " + hookReason(reply)})
}

// runPromptHooks runs the UserPromptSubmit hooks on a prompt, and reports whether the prompt may be
// given. Hooks that cannot tell are run once more.
func (s *Session) runPromptHooks(ctx context.Context, prompt string) (bool, error) {
	call := mulligan.AgentHookCall{Event: mulligan.EventPrompt, Prompt: prompt, Message: s.state.LastTurn.Message}
	reply, err := s.runAgentHooks(ctx, 1, call)
	if err == nil && reply.Decision == mulligan.HookBroken && !s.isStopped(ctx) {
		reply, err = s.runAgentHooks(ctx, 2, call)
	}
	if err != nil || s.isStopped(ctx) {
		return false, err
	}
	if reply.Decision == mulligan.Allow {
		return s.checkLimitsAfterJudges(reply)
	}
	o := mulligan.Outcome{Ended: mulligan.GaveUp, Reason: "a UserPromptSubmit hook refused the prompt: " + hookReason(reply)}
	if reply.Decision == mulligan.HookBroken {
		o = mulligan.Outcome{Ended: mulligan.GateBroken, Reason: "a UserPromptSubmit hook could not tell: " + hookReason(reply)}
	}
	switch f := s.state.Final; {
	case f == nil:
		return false, s.end(o)
	case f.Result == nil:
		return false, s.record(mulligan.DeliveryKept{Note: "what was pending was not delivered: " + o.Reason})
	}
	return false, s.settleDelivery(ctx, false, "in the final delivery "+o.Reason) // a Stop hook had sent the agent back
}

// checkLimitsAfterJudges checks the limits once more where judges have taken turns since, and reports
// whether a turn may follow.
func (s *Session) checkLimitsAfterJudges(reply mulligan.AgentHookReply) (bool, error) {
	asked := slices.ContainsFunc(reply.Runs, func(r mulligan.AgentHookRun) bool { return r.Judge != nil })
	if !asked {
		return true, nil
	}
	if o, none := s.turnLimit(); none {
		return false, s.end(o)
	}
	return true, nil
}
