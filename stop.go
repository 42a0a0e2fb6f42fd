package mulligan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// stop meets an agent that has ended its turn with the user's Stop hooks. Those that block send
// it back, a bounded number of times.
func (s *Session) stop(ctx context.Context) error {
	if s.state.Stop != nil {
		return s.sendBack(ctx)
	}
	back := s.backToTurn
	if s.state.Ending != nil {
		back = s.backToDelivery
	}
	if err := back(ctx); err != nil {
		return err
	}
	reply, err := s.agentHooks(ctx, s.state.StopTry+1, AgentHookCall{Event: EventStop, Message: s.state.LastMessage})
	if errors.Is(err, errLate) {
		return s.settleDelivery(ctx, false, s.lateDelivery())
	}
	if err != nil || s.stopped(ctx) {
		return err
	}
	switch {
	case reply.Decision == Halt:
		return s.stopEnds(ctx, Outcome{Ended: GaveUp, Reason: "a Stop hook ended the session: " + reason(reply)})
	case reply.Decision == HookBroken && s.state.StopTry >= 2:
		return s.stopEnds(ctx, Outcome{Ended: GateBroken, Reason: "a Stop hook could not tell: " + reason(reply)})
	}
	return nil
}

// errLate are Stop hooks that the final delivery's time has ended.
var errLate = errors.New("the final delivery is out of time")

// stopEnds ends the session, or, where it is ending already, the final delivery.
func (s *Session) stopEnds(ctx context.Context, o Outcome) error {
	if s.state.Ending != nil {
		return s.settleDelivery(ctx, false, "in the final delivery "+o.Reason)
	}
	return s.end(o)
}

// agentHooks runs the hooks of one moment of the agent, those that are not ignored, and says
// what they came to. With nothing to run it allows and says nothing, but at a Stop.
func (s *Session) agentHooks(ctx context.Context, try int, c AgentHookCall) (AgentHookReply, error) {
	st := &s.state
	c.Hooks = slices.DeleteFunc(st.Plan.AgentHooks.Of(c.Event), func(h AgentHook) bool { return slices.Contains(st.Ignored, h.Name) })
	ended := AgentHookEnded{Event: c.Event, Retry: st.HookRetry, Try: try, Reply: AgentHookReply{Decision: Allow}}
	if len(c.Hooks) == 0 && c.Event != EventStop {
		return ended.Reply, nil
	}
	if len(c.Hooks) > 0 {
		if err := s.runAgentHooks(ctx, c, &ended); err != nil || s.stopped(ctx) {
			return ended.Reply, err
		}
	}
	if c.Event == EventStop {
		tree, err := s.snapshot(ctx, "%d-stopped", st.Iteration)
		if err != nil {
			return ended.Reply, fmt.Errorf("looking at what the Stop hooks left: %w", err)
		}
		ended.Tree = tree
	}
	return ended.Reply, s.say(ended)
}

func (s *Session) runAgentHooks(ctx context.Context, c AgentHookCall, ended *AgentHookEnded) error {
	st := &s.state
	started := AgentHookStarted{Event: c.Event, Retry: ended.Retry, Try: ended.Try}
	for _, h := range c.Hooks {
		started.Hooks = append(started.Hooks, h.Name)
	}
	if err := s.say(started); err != nil {
		return err
	}
	run := st.HookRuns
	c.Session, c.Iteration, c.Retry, c.Dir, c.Live = st.ID, st.Iteration, st.HookRetry, s.Workspace.Dir(), s.Records.Live()
	c.Output = func(index int) (string, error) { return s.Records.HookOutput(run - len(started.Hooks) + index + 1) }
	c.BudgetUSD = st.BudgetUSD()
	if st.Turn > 0 {
		c.Transcript = s.Records.TurnLog(st.Turn)
	}
	if a := st.attempt(); a != nil {
		c.Step, c.Attempt = s.step().Name, a.Number
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	bound, late := unbounded, false
	if c.Event == EventStop {
		bound = s.withinDelivery()
	}
	err := s.during(ctx, func(outer context.Context) {
		ctx, cancel := bound(outer)
		defer cancel()
		ended.Reply = s.AgentHooks.Run(ctx, c)
		late = ctx.Err() != nil && outer.Err() == nil
	})
	if err == nil && late {
		return errLate
	}
	return err
}

// sendBack gives the agent what the Stop hooks found, where the limit allows that.
func (s *Session) sendBack(ctx context.Context) error {
	st := &s.state
	reply := st.Stop.Reply
	most := st.HookMax
	if m := reply.Retry.Max; m != nil {
		most = min(most, *m+st.HookMax-st.Plan.AgentHooks.MaxRetries) // what a person has added counts over it
	}
	if reply.Retry.Never {
		return s.decideStop(ctx, StopDecided{Choice: LimitFail, By: "hook"})
	}
	if st.HookRetry >= most {
		return s.atHookLimit(ctx, most)
	}
	if o, none := s.spent(); none && st.Ending == nil {
		o.Evidence = stopEvidence(reply)
		return s.end(o)
	}
	wait := s.hookWait(reply)
	if st.Ending != nil && wait >= s.deliveryLeft() {
		return s.settleDelivery(ctx, false, s.lateDelivery()+", and a Stop hook still blocks: "+reason(reply))
	}
	if wait > 0 {
		if err := s.pause(ctx, Waited{For: wait, Reason: "a Stop hook's retry"}); err != nil || s.stopped(ctx) {
			return err
		}
	}
	text, err := s.hookPrompt(ctx, reply)
	if err != nil {
		return err
	}
	return s.prompted(ctx, TurnStarted{
		Purpose: ForHook, Base: st.Base, Retry: st.HookRetry + 1, Of: most, Reason: reason(reply),
		Prompt: text, Conversation: st.LastConversation, Before: st.Stop.Tree, Agent: st.LastAgent,
	}, nil)
}

// hookPrompt is the feedback of Stop hooks, by itself where the conversation goes on.
func (s *Session) hookPrompt(ctx context.Context, reply AgentHookReply) (string, error) {
	st := &s.state
	text := s.Prompter.HookFeedback(st, reply)
	if st.LastConversation != "" || st.Ending != nil {
		return text, nil
	}
	if st.Plan.Loop == nil {
		return s.Prompter.StepPrompt(st) + "\n\n" + text, nil
	}
	first, err := s.Prompter.LoopPrompt(st, nil)
	return first + "\n\n" + text, err
}

// hookWait is how long the next hook retry waits: the config's, which grows, or the hook's own.
func (s *Session) hookWait(reply AgentHookReply) time.Duration {
	wait := s.state.Plan.AgentHooks.Backoff << min(s.state.HookRetry, 10)
	if s.Jitter != nil {
		wait = s.Jitter(wait)
	}
	return max(wait, reply.Retry.After)
}

// askedAtLimit is who asks what is to be done about a Stop hook that still blocks.
const askedAtLimit = "hook limit"

// atHookLimit does what the config says, or asks a person: nobody answers, the attempt has failed.
func (s *Session) atHookLimit(ctx context.Context, most int) error {
	st := &s.state
	warning := fmt.Sprintf("[Warning: Hook retry limit (%d) reached. Completing execution.]", most)
	switch st.Plan.AgentHooks.OnLimit {
	case LimitFail:
		return s.decideStop(ctx, StopDecided{Choice: LimitFail, By: "config"})
	case LimitAccept:
		return s.decideStop(ctx, StopDecided{Choice: LimitAccept, By: "config", Note: warning})
	}
	q, err := s.askPerson(ctx, Question{
		Text:    fmt.Sprintf("A Stop hook has sent the agent back %s, and still blocks: %s", times(st.HookRetry), reason(st.Stop.Reply)),
		Options: []string{LimitContinue, LimitAbort, LimitIgnore}, Default: LimitFail, Asker: askedAtLimit, Turn: st.Turn,
	})
	if err != nil || s.stopped(ctx) {
		return err
	}
	d := StopDecided{Choice: q.Answer, By: q.By}
	if d.Choice == LimitIgnore {
		d.Note = fmt.Sprintf("a person ignored a Stop hook that blocked: %s", reason(st.Stop.Reply))
	}
	return s.decideStop(ctx, d)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func reason(r AgentHookReply) string { return cut(oneLine(r.Reason), 500) }

// decideStop does what was decided about hooks that block at their limit.
func (s *Session) decideStop(ctx context.Context, d StopDecided) error {
	st := &s.state
	reply := st.Stop.Reply
	evidence := stopEvidence(reply)
	d.Hooks = reply.Blocking()
	why := fmt.Sprintf("a Stop hook blocked %s: %s", times(st.HookRetry+1), reason(reply))
	gaveUp := d.Choice == LimitFail || d.Choice == LimitAbort
	if gaveUp && st.Ending == nil {
		d.Verdict = evidence
	}
	if err := s.say(d); err != nil || !gaveUp {
		return err
	}
	switch {
	case d.Choice == LimitAbort:
		return s.stopEnds(ctx, Outcome{Ended: GaveUp, Reason: "aborted by a person: " + why, Evidence: evidence})
	case st.Ending != nil:
		return s.settleDelivery(ctx, false, "in the final delivery "+why)
	case st.Base == ForRecovery:
		return nil
	}
	return s.roundEnds(Fail, why)
}

// stopEvidence is a block as a gate's verdict, which feedback and outcomes are made of.
func stopEvidence(r AgentHookReply) *Verdict {
	name := strings.Join(r.Blocking(), ", ")
	f := &Finding{Command: name, Text: r.Feedback}
	for _, run := range r.Runs {
		if run.Decision == Block && f.Whole == "" {
			f.Exit, f.Whole, f.Bytes = run.Exit, run.Whole, run.Bytes
		}
	}
	return &Verdict{Status: Fail, Gate: "Stop hook " + name, Summary: cut(oneLine(r.Reason), 200), Finding: f}
}
