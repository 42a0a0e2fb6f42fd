package mulligan

import "context"

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
	if err != nil || s.stopped(ctx) || reply.Decision == Allow {
		return err == nil && !s.stopped(ctx), err
	}
	o := Outcome{Ended: GaveUp, Reason: "a UserPromptSubmit hook refused the prompt: " + reason(reply)}
	if reply.Decision == HookBroken {
		o = Outcome{Ended: GateBroken, Reason: "a UserPromptSubmit hook could not tell: " + reason(reply)}
	}
	if s.state.Ending != nil {
		return false, s.say(DeliveryKept{Note: "what was pending was not delivered: " + o.Reason})
	}
	return false, s.end(o)
}
