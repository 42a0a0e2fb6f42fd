package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// takeTurn gives the turn that was begun to the agent. Where an earlier process began it, the
// tree is first put back to what that process's agent found: the turn is given again whole.
func (s *Session) takeTurn(ctx context.Context) error {
	if err := s.takeOverTurn(ctx, *s.state.InFlight); err != nil {
		return err
	}
	turn := *s.state.InFlight
	if left := s.state.RateLimit.Until.Sub(s.Clock.Now()); left > 0 { // a rate limit that an earlier process met
		if err := s.sleep(ctx, left); err != nil || s.isStopped(ctx) {
			return err
		}
	}
	result, took, err := s.continueTurn(ctx, turn)
	if err != nil || s.isStopped(ctx) {
		return err // an interrupted turn stays in flight, and is given again
	}
	if result.Ending == mulligan.RateLimited {
		return s.waitForRateLimit(ctx, result)
	}
	ended := mulligan.TurnEnded{Turn: turn.Turn, Result: result, Duration: took}
	if ended.Tree, err = s.keepWorkspace(ctx, "%d-after", s.state.Iteration); err == nil {
		return s.endTurn(ctx, turn, ended)
	}
	if over, ok := errors.AsType[*mulligan.BoundError](err); ok {
		if err = s.Workspace.Lay(context.WithoutCancel(ctx), turn.Before); err == nil {
			ended.Tree, ended.Breach = turn.Before, &mulligan.Breach{Unread: over.Error()}
			return s.record(ended)
		}
	}
	return fmt.Errorf("looking at what the turn left: %w", err)
}

// continueTurn gives a turn to its agent. One that met a rate limit continues in the conversation
// that it had begun, which has what it did before. Where the agent has not kept that conversation,
// there was nothing to keep.
func (s *Session) continueTurn(ctx context.Context, turn mulligan.TurnStarted) (mulligan.Result, time.Duration, error) {
	if s.state.RateLimit.Conversation == "" {
		return s.runTurn(ctx, turn, s.limitToStep())
	}
	begun := turn
	begun.Conversation = s.state.RateLimit.Conversation
	result, took, err := s.runTurn(ctx, begun, s.limitToStep())
	if lost := result.Ending == mulligan.Crashed && result.Conversation == ""; !lost || err != nil || s.isStopped(ctx) {
		return result, took, err
	}
	result, more, err := s.runTurn(ctx, turn, s.limitToStep())
	return result, took + more, err
}

// takeOverTurn makes ready for a turn that an earlier process began and did not end: it is given again,
// with what people said since. For a turn of this process's own it does nothing.
func (s *Session) takeOverTurn(ctx context.Context, turn mulligan.TurnStarted) error {
	if s.ownTurn == turn.Turn {
		return nil
	}
	if err := s.restoreTree(ctx, turn.Before, "%d-cut-short", s.state.Iteration); err != nil {
		return fmt.Errorf("putting the workspace back to the snapshot before turn %d: %w", turn.Turn, err)
	}
	s.ownTurn, turn.Again = turn.Turn, true
	return s.record(s.addSince(turn))
}

// runTurn gives a turn to its agent, and serves requests while the agent works. limit puts the
// turn's own limit on its context: a turn that reaches it has timed out.
func (s *Session) runTurn(ctx context.Context, turn mulligan.TurnStarted, limit limiter) (result mulligan.Result, took time.Duration, err error) {
	agent, err := s.Agent(turn.Agent)
	if err != nil {
		return mulligan.Result{}, 0, err
	}
	log, err := s.Records.Open(turn.Log)
	if err != nil {
		return mulligan.Result{}, 0, fmt.Errorf("opening the log of turn %d: %w", turn.Turn, err)
	}
	defer log.Close()
	if err := s.flush(ctx); err != nil {
		return mulligan.Result{}, 0, err
	}
	if err := s.Workspace.Ready(context.WithoutCancel(ctx)); err != nil {
		return mulligan.Result{}, 0, fmt.Errorf("making the workspace ready for turn %d: %w", turn.Turn, err)
	}
	out := s.filterOutput(io.MultiWriter(log, s.Records.Live()))
	t := s.agentTurn(turn, out)
	began := s.Clock.Now()
	s.moved = true
	broken := s.serveDuring(ctx, func(outer context.Context) {
		ctx, cancel := limit(outer)
		defer cancel()
		result, err = agent.Turn(ctx, t)
		if ctx.Err() != nil && outer.Err() == nil && result.Ending == mulligan.Cancelled {
			result.Ending, result.Reason = mulligan.TimedOut, context.Cause(ctx).Error()
		}
		s.requests.holds.wait(outer)
	})
	if lost := out.Close(); lost != nil && err == nil {
		err = fmt.Errorf("writing the log of turn %d: %w", turn.Turn, lost)
	}
	took = s.since(began)
	result.Denied = s.state.Guard.WithoutClaimTools(result.Denied)
	result.Denials = slices.DeleteFunc(result.Denials, func(d mulligan.Denial) bool { return s.state.Guard.HasClaimBy(d.Tool) })
	return result, took, errors.Join(broken, err)
}

// agentTurn returns a turn as its agent gets it.
func (s *Session) agentTurn(turn mulligan.TurnStarted, log io.Writer) mulligan.Turn {
	t := mulligan.Turn{
		Session: s.id, Iteration: s.state.Iteration, Number: turn.Turn, Purpose: turn.Purpose,
		Prompt: turn.Prompt, Conversation: turn.Conversation, Dir: s.Workspace.Dir(), Log: log,
		BudgetUSD: s.state.BudgetUSD(), Env: s.ToolEnv, Asking: s.requests.holds.any,
	}
	if s.state.Step < len(s.state.Steps) {
		t.Step, t.Model = s.step().Name, s.modelName()
	}
	if a := s.state.CurrentAttempt(); a != nil {
		t.Attempt = a.Number
	}
	return t
}

// filterOutput puts the filter, if there is one, before w.
func (s *Session) filterOutput(w io.Writer) io.WriteCloser {
	if s.Filter == nil {
		return nopCloser{w}
	}
	return s.Filter(w)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// How long the session waits for a rate limit whose end the agent does not know.
const (
	firstRateLimitWait = 30 * time.Second
	maxRateLimitWait   = 15 * time.Minute
)

// waitForRateLimit waits for a rate limit to pass; the turn stays in flight and is given again, in
// the conversation that it has begun. No retry and no iteration is used.
func (s *Session) waitForRateLimit(ctx context.Context, r mulligan.Result) error {
	st, now := &s.state, s.Clock.Now()
	wait := min(firstRateLimitWait<<min(st.RateLimit.Waits, 10), maxRateLimitWait)
	if s.Jitter != nil {
		wait = s.Jitter(wait)
	}
	if !r.Until.IsZero() {
		wait = max(r.Until.Sub(now), time.Second)
	}
	why := "the agent is rate limited"
	if r.Reason != "" {
		why += ": " + text.Clip(text.OneLine(r.Reason), 200)
	}
	until := now.Add(wait)
	limits, waited := st.Plan.Limits, st.RateLimit.Waited
	switch {
	case limits.NoWait:
		return s.end(mulligan.Outcome{Ended: mulligan.AgentUnavailable, Reason: fmt.Sprintf("%s, until about %s, and nobody is to wait", why, until.Format(time.DateTime))})
	case limits.Wait > 0 && waited+wait > limits.Wait:
		longer := "which is longer"
		if waited > 0 {
			longer = fmt.Sprintf("which with the %s waited before is longer", waited.Round(time.Second))
		}
		return s.end(mulligan.Outcome{Ended: mulligan.AgentUnavailable, Reason: fmt.Sprintf("%s, until about %s, %s than limits.wait (%s)", why, until.Format(time.DateTime), longer, limits.Wait)})
	}
	return s.pause(ctx, mulligan.Waited{For: wait, Reason: why, Free: true, Until: until, Usage: r.Usage, Conversation: r.Conversation})
}
