package runner

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mulligan"
	"mulligan/hook/claudecode"
	"mulligan/internal/protocol"
	"mulligan/state"
	"mulligan/task"
)

// runAgentHooks runs the hooks of an event that happened inside the agent, beside the session's own
// work.
func (h *requestHandler) runAgentHooks(ctx context.Context, request task.Request) (any, error) {
	var args protocol.HookArgs
	if err := json.Unmarshal(request.Args, &args); err != nil {
		return nil, err
	}
	if answer, denied, err := h.guardEvent(ctx, args); denied || err != nil {
		return answer, err
	}
	call := mulligan.AgentHookCall{Event: args.Event, Input: args.Input, Live: h.journal.Live(h.session.State().ID)}
	first := 0
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		call.Hooks = slices.DeleteFunc(st.Plan.AgentHooks.Inside(args.Event), func(hook mulligan.AgentHook) bool { return hook.Type == claudecode.TypeGuard })
		if len(call.Hooks) == 0 {
			return nil, nil
		}
		call.Session, call.Iteration, call.Dir, first = st.ID, st.Iteration, st.Place.Dir, st.Hooks.Runs+1
		if st.Step < len(st.Steps) {
			call.Step, call.Attempt = st.Steps[st.Step].Name, len(st.Steps[st.Step].Attempts)
		}
		call.BudgetUSD = st.BudgetUSD()
		started := mulligan.AgentHookStarted{Event: args.Event, Try: 1}
		for _, hook := range call.Hooks {
			started.Hooks = append(started.Hooks, hook.Name)
		}
		return []mulligan.Body{started}, nil
	})
	if err != nil || len(call.Hooks) == 0 {
		return protocol.HookAnswer{}, err
	}
	call.Output = func(index int) (string, error) { return h.session.Records.HookOutput(first + index) }
	reply := h.session.AgentHooks.Run(ctx, call)
	err = h.session.Do(ctx, func(*state.State) ([]mulligan.Body, error) {
		return []mulligan.Body{mulligan.AgentHookEnded{Event: args.Event, Try: 1, Reply: reply, Inside: true}}, nil
	})
	return encodeHookReply(args.Event, reply), err
}

// encodeHookReply returns a reply in the terms of the agent's program. A hook that could not tell denies.
func encodeHookReply(event string, reply mulligan.AgentHookReply) protocol.HookAnswer {
	switch reply.Decision {
	case mulligan.Block:
		reason := reply.Feedback
		if strings.TrimSpace(reason) == "" {
			reason = reply.Reason
		}
		return protocol.HookAnswer{Exit: 2, Stderr: reason}
	case mulligan.HookBroken:
		return protocol.HookAnswer{Exit: 2, Stderr: "a hook could not tell, so this is not allowed: " + reply.Reason}
	case mulligan.Halt:
		return protocol.HookAnswer{Stdout: claudecode.EncodeLine(map[string]any{"continue": false, "stopReason": reply.Reason})}
	}
	specific := map[string]any{"hookEventName": event}
	if reply.Permission != "" {
		specific["permissionDecision"] = reply.Permission
	}
	if context := strings.TrimSpace(reply.Context); context != "" {
		specific["additionalContext"] = context
	}
	if len(specific) == 1 {
		return protocol.HookAnswer{}
	}
	return protocol.HookAnswer{Stdout: claudecode.EncodeLine(map[string]any{"hookSpecificOutput": specific})}
}
