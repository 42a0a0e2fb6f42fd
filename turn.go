package mulligan

import (
	"context"
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
	agent, err := s.Agent(turn.Agent)
	if err != nil {
		return err
	}
	result, took, err := s.take(ctx, agent, turn)
	if err != nil || ctx.Err() != nil {
		return err // an interrupted turn stays in flight, and is given again
	}
	if result.Ending == RateLimited {
		return s.waitOut(ctx, result)
	}
	tree, err := s.Workspace.Snapshot(context.WithoutCancel(ctx), fmt.Sprintf("%s/%d-after", s.state.ID, s.state.Iteration))
	if err != nil {
		return fmt.Errorf("looking at what the turn left: %w", err)
	}
	if err := s.say(TurnEnded{Turn: turn.Turn, Result: result, Tree: tree, Duration: took}); err != nil {
		return err
	}
	return s.afterTurn(result)
}

// takeUp makes ready for a turn that an earlier process began and did not end.
func (s *Session) takeUp(ctx context.Context, turn TurnStarted) error {
	label := fmt.Sprintf("%s/%d-cut-short", s.state.ID, s.state.Iteration)
	if err := s.Workspace.Restore(context.WithoutCancel(ctx), turn.Before, label); err != nil {
		return fmt.Errorf("putting the workspace back to the snapshot before turn %d: %w", turn.Turn, err)
	}
	s.mine, turn.Again = turn.Turn, true
	return s.say(turn)
}

func (s *Session) take(ctx context.Context, agent Agent, turn TurnStarted) (Result, time.Duration, error) {
	log, err := s.Records.Open(turn.Log)
	if err != nil {
		return Result{}, 0, fmt.Errorf("opening the log of turn %d: %w", turn.Turn, err)
	}
	defer log.Close()
	if err := s.flush(ctx); err != nil {
		return Result{}, 0, err
	}
	within, cancel := s.withinStep(ctx)
	defer cancel()
	out := s.filtered(io.MultiWriter(log, s.Records.Live()))
	began := s.Clock.Now()
	result, err := agent.Turn(within, Turn{
		Session: s.state.ID, Step: s.step().Name,
		Attempt: s.state.attempt().Number, Iteration: s.state.Iteration, Number: turn.Turn,
		Prompt: turn.Prompt, Conversation: turn.Conversation, Dir: s.Workspace.Dir(),
		Log: out,
	})
	if lost := out.Close(); lost != nil && err == nil {
		err = fmt.Errorf("writing the log of turn %d: %w", turn.Turn, lost)
	}
	if within.Err() != nil && ctx.Err() == nil && result.Ending == Cancelled {
		result.Ending, result.Reason = TimedOut, errStepTime.Error()
	}
	return result, s.since(began), err
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

// waitOut waits for a rate limit to pass; the turn stays in flight and is given again.
func (s *Session) waitOut(ctx context.Context, r Result) error {
	wait := 30 * time.Second
	if !r.Until.IsZero() {
		wait = max(r.Until.Sub(s.Clock.Now()), 0)
	}
	return s.pause(ctx, Waited{For: wait, Reason: "the agent is rate limited", Free: true})
}

// afterTurn closes the attempt where its work is not to be examined.
func (s *Session) afterTurn(r Result) error {
	if r.Ending.Examined() {
		return nil
	}
	reason := string(r.Ending)
	if r.Reason != "" {
		reason += ": " + r.Reason
	}
	a := s.state.attempt()
	refused := r.Ending == Refused
	if err := s.say(AttemptEnded{Step: s.step().Name, Attempt: a.Number, Status: Fail, Reason: reason, Counted: refused}); err != nil {
		return err
	}
	if r.Ending == Unavailable && r.Cause != Network {
		return s.end(Outcome{Ended: AgentUnavailable, Reason: fmt.Sprintf("agent %q is unavailable (%s): %s", s.step().Agent, r.Cause, r.Reason)})
	}
	return nil
}
