package mulligan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// work gives the turn that was begun to the agent. Where an earlier process began it, the
// tree is first put back to what that process's agent found: the turn is given again whole.
func (s *Session) work(ctx context.Context) error {
	turn := *s.state.InFlight
	if s.mine != turn.Turn {
		if err := s.takeUp(ctx, turn); err != nil {
			return err
		}
	}
	if left := s.state.WaitUntil.Sub(s.Clock.Now()); left > 0 { // a rate limit that an earlier process met
		if err := s.sleep(ctx, left); err != nil || s.stopped(ctx) {
			return err
		}
	}
	result, took, err := s.goOn(ctx, turn)
	if err != nil || s.stopped(ctx) {
		return err // an interrupted turn stays in flight, and is given again
	}
	if result.Ending == RateLimited {
		return s.waitOut(ctx, result)
	}
	tree, err := s.snapshot(ctx, "%d-after", s.state.Iteration)
	if err != nil {
		return fmt.Errorf("looking at what the turn left: %w", err)
	}
	return s.say(TurnEnded{Turn: turn.Turn, Result: result, Tree: tree, Duration: took})
}

// goOn gives a turn to its agent. One that met a rate limit goes on in the conversation that it had
// begun: what it did before is there. Where the agent has not kept that, there was nothing to keep.
func (s *Session) goOn(ctx context.Context, turn TurnStarted) (Result, time.Duration, error) {
	if s.state.Begun == "" {
		return s.take(ctx, turn, s.withinStep())
	}
	begun := turn
	begun.Conversation = s.state.Begun
	result, took, err := s.take(ctx, begun, s.withinStep())
	if lost := result.Ending == Crashed && result.Conversation == ""; !lost || err != nil || s.stopped(ctx) {
		return result, took, err
	}
	result, more, err := s.take(ctx, turn, s.withinStep())
	return result, took + more, err
}

// stopped says whether the session is to stop where it stands.
func (s *Session) stopped(ctx context.Context) bool { return ctx.Err() != nil || s.desk.halt != nil }

// takeUp makes ready for a turn that an earlier process began and did not end.
func (s *Session) takeUp(ctx context.Context, turn TurnStarted) error {
	label := fmt.Sprintf("%s/%d-cut-short", s.state.ID, s.state.Iteration)
	if err := s.Workspace.Restore(context.WithoutCancel(ctx), turn.Before, label); err != nil {
		return fmt.Errorf("putting the workspace back to the snapshot before turn %d: %w", turn.Turn, err)
	}
	s.mine, turn.Again = turn.Turn, true
	return s.say(turn)
}

// take gives a turn to its agent, and looks after the desk while the agent works. bound puts
// the turn's own limit on its context: a turn that reaches it has timed out.
func (s *Session) take(ctx context.Context, turn TurnStarted, bound bounds) (result Result, took time.Duration, err error) {
	agent, err := s.Agent(turn.Agent)
	if err != nil {
		return Result{}, 0, err
	}
	log, err := s.Records.Open(turn.Log)
	if err != nil {
		return Result{}, 0, fmt.Errorf("opening the log of turn %d: %w", turn.Turn, err)
	}
	defer log.Close()
	if err := s.flush(ctx); err != nil {
		return Result{}, 0, err
	}
	out := s.filtered(io.MultiWriter(log, s.Records.Live()))
	t := s.given(turn, out)
	began := s.Clock.Now()
	broken := s.during(ctx, func(outer context.Context) {
		ctx, cancel := bound(outer)
		defer cancel()
		result, err = agent.Turn(ctx, t)
		if ctx.Err() != nil && outer.Err() == nil && result.Ending == Cancelled {
			result.Ending, result.Reason = TimedOut, context.Cause(ctx).Error()
		}
	})
	if lost := out.Close(); lost != nil && err == nil {
		err = fmt.Errorf("writing the log of turn %d: %w", turn.Turn, lost)
	}
	return result, s.since(began), errors.Join(broken, err)
}

type bounds func(context.Context) (context.Context, context.CancelFunc)

// given is a turn as its agent gets it.
func (s *Session) given(turn TurnStarted, log io.Writer) Turn {
	t := Turn{
		Session: s.state.ID, Iteration: s.state.Iteration, Number: turn.Turn, Purpose: turn.Purpose,
		Prompt: turn.Prompt, Conversation: turn.Conversation, Dir: s.Workspace.Dir(), Log: log,
		BudgetUSD: s.state.BudgetUSD(), Env: s.ToolEnv, Asking: func() bool { return s.desk.asking.Load() > 0 },
	}
	if s.state.Step < len(s.state.Steps) {
		t.Step, t.Model = s.step().Name, s.step().Model
	}
	if a := s.state.attempt(); a != nil {
		t.Attempt = a.Number
	}
	return t
}

// filtered is w behind the filter.
func (s *Session) filtered(w io.Writer) io.WriteCloser {
	if s.Filter == nil {
		return unfiltered{w}
	}
	return s.Filter(w)
}

type unfiltered struct{ io.Writer }

func (unfiltered) Close() error { return nil }

// How a rate limit is waited out that does not say when it ends.
const (
	firstWait = 30 * time.Second
	mostWait  = 15 * time.Minute
)

// waitOut waits for a rate limit to pass; the turn stays in flight and is given again, in the
// conversation that it has begun. No retry and no iteration is used.
func (s *Session) waitOut(ctx context.Context, r Result) error {
	st, now := &s.state, s.Clock.Now()
	wait := min(firstWait<<min(st.Waits, 10), mostWait)
	if s.Jitter != nil {
		wait = s.Jitter(wait)
	}
	if !r.Until.IsZero() {
		wait = max(r.Until.Sub(now), time.Second)
	}
	why := "the agent is rate limited"
	if r.Reason != "" {
		why += ": " + cut(oneLine(r.Reason), 200)
	}
	l := st.Plan.Limits
	switch {
	case l.NoWait:
		return s.end(Outcome{Ended: AgentUnavailable, Reason: fmt.Sprintf("%s, until about %s, and nobody is to wait", why, now.Add(wait).Format(time.DateTime))})
	case l.Wait > 0 && st.WaitedFor+wait > l.Wait:
		longer := "which is longer"
		if st.WaitedFor > 0 {
			longer = fmt.Sprintf("which with the %s waited before is longer", st.WaitedFor.Round(time.Second))
		}
		return s.end(Outcome{Ended: AgentUnavailable, Reason: fmt.Sprintf("%s, until about %s, %s than limits.wait (%s)", why, now.Add(wait).Format(time.DateTime), longer, l.Wait)})
	}
	return s.pause(ctx, Waited{For: wait, Reason: why, Free: true, Until: now.Add(wait), Usage: r.Usage, Conversation: r.Conversation})
}
