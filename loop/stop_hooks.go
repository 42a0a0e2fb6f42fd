package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// runStopHooks runs the user's Stop hooks after a turn that the agent has ended. Those that block send
// the agent back, a bounded number of times.
func (s *Session) runStopHooks(ctx context.Context) error {
	st, r := &s.state, s.newRound()
	if s.isStopped(ctx) { // no further turn, and no hooks either
		return r.interrupt(ctx, "the final delivery was interrupted")
	}
	if st.StopHooks.Blocking != nil {
		return s.sendBack(ctx, r)
	}
	if _, _, err := s.restoreForGates(ctx, r); err != nil {
		return err
	}
	reply, err := s.runAgentHooks(ctx, st.StopHooks.Try+1, mulligan.AgentHookCall{Event: mulligan.EventStop, Message: st.LastTurn.Message})
	if errors.Is(err, errDeliveryTime) {
		return s.settleDelivery(ctx, false, s.deliveryTimeReason())
	}
	if err != nil || s.isStopped(ctx) {
		return err
	}
	switch {
	case reply.Decision == mulligan.Halt:
		return r.end(ctx, mulligan.Outcome{Ended: mulligan.GaveUp, Reason: "a Stop hook ended the session: " + hookReason(reply)})
	case reply.Decision == mulligan.HookBroken && st.StopHooks.Try >= 2:
		return r.end(ctx, mulligan.Outcome{Ended: mulligan.GateBroken, Reason: "a Stop hook could not tell: " + hookReason(reply)})
	}
	return nil
}

// errDeliveryTime is the error of Stop hooks that the final delivery's time has ended.
var errDeliveryTime = errors.New("the final delivery is out of time")

// runAgentHooks runs the hooks of one moment of the agent, those that are not ignored, and records
// what they came to. With nothing to run it allows, and records nothing but a Stop.
func (s *Session) runAgentHooks(ctx context.Context, try int, c mulligan.AgentHookCall) (mulligan.AgentHookReply, error) {
	st := &s.state
	c.Hooks = slices.DeleteFunc(st.Plan.AgentHooks.Of(c.Event), func(h mulligan.AgentHook) bool { return slices.Contains(st.StopHooks.Ignored, h.Name) })
	ended := mulligan.AgentHookEnded{Event: c.Event, Retry: st.StopHooks.Retry, Try: try, Reply: mulligan.AgentHookReply{Decision: mulligan.Allow}}
	if len(c.Hooks) == 0 && c.Event != mulligan.EventStop {
		return ended.Reply, nil
	}
	if len(c.Hooks) > 0 {
		if err := s.callAgentHooks(ctx, c, &ended); err != nil || s.isStopped(ctx) {
			return ended.Reply, err
		}
	}
	if c.Event == mulligan.EventStop {
		tree, err := s.takeSnapshot(ctx, "%d-stopped", st.Iteration)
		if err != nil {
			return ended.Reply, fmt.Errorf("looking at what the Stop hooks left: %w", err)
		}
		if ended.Tree, err = s.putBackAfter(ctx, "a Stop hook", s.writeCase(), st.Tree, tree, fmt.Sprintf("%d-stopped", st.Iteration)); err != nil {
			return ended.Reply, err
		}
	}
	return ended.Reply, s.record(ended)
}

func (s *Session) callAgentHooks(ctx context.Context, c mulligan.AgentHookCall, ended *mulligan.AgentHookEnded) error {
	st := &s.state
	started := mulligan.AgentHookStarted{Event: c.Event, Retry: ended.Retry, Try: ended.Try}
	for _, h := range c.Hooks {
		started.Hooks = append(started.Hooks, h.Name)
	}
	if err := s.record(started); err != nil {
		return err
	}
	run := st.Hooks.Runs
	c.Session, c.Iteration, c.Retry, c.Dir, c.Live = s.id, st.Iteration, st.StopHooks.Retry, s.Workspace.Dir(), s.Records.Live()
	c.Output = func(index int) (string, error) { return s.Records.HookOutput(run - len(started.Hooks) + index + 1) }
	c.BudgetUSD = st.BudgetUSD()
	if st.Turn > 0 {
		c.Transcript = s.Records.TurnLog(st.Turn)
	}
	if a := st.CurrentAttempt(); a != nil {
		c.Step, c.Attempt = s.step().Name, a.Number
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	limit, late := unlimited, false
	if c.Event == mulligan.EventStop {
		limit = s.limitToDelivery()
	}
	s.moved = true
	err := s.serveDuring(ctx, func(outer context.Context) {
		ctx, cancel := limit(outer)
		defer cancel()
		ended.Reply = s.AgentHooks.Run(ctx, c)
		late = ctx.Err() != nil && outer.Err() == nil
	})
	if err == nil && late {
		return errDeliveryTime
	}
	return err
}

// sendBack gives the agent what the Stop hooks found, where the limit allows that.
func (s *Session) sendBack(ctx context.Context, r round) error {
	st := &s.state
	reply := st.StopHooks.Blocking.Reply
	most := st.StopHooks.Max
	if m := reply.Retry.Max; m != nil {
		most = min(most, *m+most-st.Plan.AgentHooks.MaxRetries) // what a person has added counts over it
	}
	if reply.Retry.Never {
		return s.applyLimitChoice(ctx, r, mulligan.StopDecided{Choice: mulligan.LimitFail, By: "hook"})
	}
	if st.StopHooks.Retry >= most {
		return s.handleHookLimit(ctx, r, most)
	}
	if o, none := s.turnLimit(); none {
		o.Evidence = blockVerdict(reply)
		return s.end(o)
	}
	wait := s.waitBeforeRetry(reply)
	if wait >= s.deliveryTimeLeft() {
		return s.settleDelivery(ctx, false, s.deliveryTimeReason()+", and a Stop hook still blocks: "+hookReason(reply))
	}
	if wait > 0 {
		if err := s.pause(ctx, mulligan.Waited{For: wait, Reason: "a Stop hook's retry"}); err != nil || s.isStopped(ctx) {
			return err
		}
	}
	return s.promptAgent(ctx, mulligan.TurnStarted{
		Purpose: mulligan.ForHook, Base: st.StopHooks.Base, Retry: st.StopHooks.Retry + 1, Of: most, Reason: hookReason(reply),
		Prompt: s.makeHookPrompt(reply), Conversation: st.LastTurn.Conversation, Before: st.StopHooks.Blocking.Tree, Agent: st.LastTurn.Agent,
	}, nil)
}

// makeHookPrompt returns the feedback of Stop hooks. Where no conversation continues, the prompts that
// the agent was given before come first.
func (s *Session) makeHookPrompt(reply mulligan.AgentHookReply) string {
	st := &s.state
	feedback := s.Prompts.HookFeedback(st, reply)
	if st.LastTurn.Conversation != "" {
		return feedback
	}
	first := st.StopHooks.Prompt
	if st.StopHooks.Base == mulligan.ForRecovery {
		first = joinParagraphs(st.Prompt, first)
	}
	return joinParagraphs(first, feedback)
}

// waitBeforeRetry returns how long the next hook retry waits: the config's wait, which grows, or the
// hook's own.
func (s *Session) waitBeforeRetry(reply mulligan.AgentHookReply) time.Duration {
	wait := s.state.Plan.AgentHooks.Backoff << min(s.state.StopHooks.Retry, 10)
	if s.Jitter != nil {
		wait = s.Jitter(wait)
	}
	return max(wait, reply.Retry.After)
}

// handleHookLimit does what the config says, or asks a person. If no person answers, the attempt has
// failed.
func (s *Session) handleHookLimit(ctx context.Context, r round, most int) error {
	st := &s.state
	warning := fmt.Sprintf("[Warning: Hook retry limit (%d) reached. Completing execution.]", most)
	switch st.Plan.AgentHooks.OnLimit {
	case mulligan.LimitFail:
		return s.applyLimitChoice(ctx, r, mulligan.StopDecided{Choice: mulligan.LimitFail, By: "config"})
	case mulligan.LimitAccept:
		return s.applyLimitChoice(ctx, r, mulligan.StopDecided{Choice: mulligan.LimitAccept, By: "config", Note: warning})
	}
	blocked := hookReason(st.StopHooks.Blocking.Reply)
	q, err := s.askPerson(ctx, mulligan.Question{
		Text:    fmt.Sprintf("A Stop hook has sent the agent back %s, and still blocks: %s", text.Times(st.StopHooks.Retry), blocked),
		Options: []string{mulligan.LimitContinue, mulligan.LimitAbort, mulligan.LimitIgnore}, Default: mulligan.LimitFail, Asker: mulligan.AskerHookLimit, Turn: st.Turn,
	})
	if err != nil || s.isStopped(ctx) {
		return err
	}
	d := mulligan.StopDecided{Choice: q.Answer, By: q.By}
	if d.Choice == mulligan.LimitIgnore {
		d.Note = "a person ignored a Stop hook that blocked: " + blocked
	}
	return s.applyLimitChoice(ctx, r, d)
}

// hookReason returns why hooks decided as they did, in one bounded line.
func hookReason(r mulligan.AgentHookReply) string { return text.Clip(text.OneLine(r.Reason), 500) }

// applyLimitChoice does what was decided about hooks that block at their limit.
func (s *Session) applyLimitChoice(ctx context.Context, r round, d mulligan.StopDecided) error {
	st := &s.state
	reply := st.StopHooks.Blocking.Reply
	evidence := blockVerdict(reply)
	d.Hooks = reply.Blocking()
	why := fmt.Sprintf("a Stop hook blocked %s: %s", text.Times(st.StopHooks.Retry+1), hookReason(reply))
	gaveUp := d.Choice == mulligan.LimitFail || d.Choice == mulligan.LimitAbort
	if gaveUp && st.Final == nil {
		d.Verdict = evidence
	}
	if err := s.record(d); err != nil || !gaveUp {
		return err
	}
	if d.Choice == mulligan.LimitAbort {
		return r.end(ctx, mulligan.Outcome{Ended: mulligan.GaveUp, Reason: "aborted by a person: " + why, Evidence: evidence})
	}
	return r.giveUp(ctx, why)
}

// blockVerdict returns a block as a gate's verdict, which feedback and outcomes are made of.
func blockVerdict(r mulligan.AgentHookReply) *mulligan.Verdict {
	name := strings.Join(r.Blocking(), ", ")
	f := &mulligan.Finding{Command: name, Text: r.Feedback}
	for _, run := range r.Runs {
		if run.Decision == mulligan.Block && f.Whole == "" {
			f.Exit, f.Whole, f.Bytes = run.Exit, run.Whole, run.Bytes
		}
	}
	return &mulligan.Verdict{Status: mulligan.Fail, Gate: "Stop hook " + name, Summary: text.Clip(text.OneLine(r.Reason), 200), Finding: f}
}
