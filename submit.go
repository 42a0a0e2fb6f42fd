package mulligan

import (
	"context"
	"slices"
)

// greet runs the SessionStart hooks, once.
func (s *Session) greet(ctx context.Context) error {
	if s.state.Greeted {
		return nil
	}
	reply, err := s.agentHooks(ctx, 1, AgentHookCall{Event: EventSessionStart, Source: "startup"})
	if err != nil || s.stopped(ctx) || reply.Decision != Halt {
		return err
	}
	return s.end(Outcome{Ended: GaveUp, Reason: "a SessionStart hook ended the session: " + reason(reply)})
}

// submit runs the UserPromptSubmit hooks on a prompt, and says whether it may be given. Hooks
// that cannot tell are run once more.
func (s *Session) submit(ctx context.Context, prompt string) (bool, error) {
	call := AgentHookCall{Event: EventPrompt, Prompt: prompt, Message: s.state.LastMessage}
	reply, err := s.agentHooks(ctx, 1, call)
	if err == nil && reply.Decision == HookBroken && !s.stopped(ctx) {
		reply, err = s.agentHooks(ctx, 2, call)
	}
	if err != nil || s.stopped(ctx) {
		return false, err
	}
	if reply.Decision == Allow {
		return s.affordable(reply)
	}
	o := Outcome{Ended: GaveUp, Reason: "a UserPromptSubmit hook refused the prompt: " + reason(reply)}
	if reply.Decision == HookBroken {
		o = Outcome{Ended: GateBroken, Reason: "a UserPromptSubmit hook could not tell: " + reason(reply)}
	}
	if e := s.state.Ending; e != nil && e.Delivered { // sent back by a Stop hook: what was done before is there
		return false, s.settleDelivery(ctx, false, "in the final delivery "+o.Reason)
	} else if e != nil {
		return false, s.say(DeliveryKept{Note: "what was pending was not delivered: " + o.Reason})
	}
	return false, s.end(o)
}

// affordable looks at the limits once more where judges have taken turns since. The final
// delivery runs even at a limit.
func (s *Session) affordable(reply AgentHookReply) (bool, error) {
	asked := slices.ContainsFunc(reply.Runs, func(r AgentHookRun) bool { return r.Judge != nil })
	if !asked || s.state.Ending != nil {
		return true, nil
	}
	if o, none := s.spent(); none {
		return false, s.end(o)
	}
	return true, nil
}
