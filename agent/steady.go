package agent

import (
	"context"
	"fmt"
	"time"

	"mulligan"
)

// How often a turn that a transport fault ended is tried again, and how long to wait before.
const (
	transportTries = 5
	transportWait  = 500 * time.Millisecond
	transportMost  = 30 * time.Second
)

// Steady returns an agent that retries a turn which a transport fault ended: most networks come
// back by themselves. It is not the retry of work: nothing examines what the agent did between the
// tries. jitter may be nil.
func Steady(a mulligan.Agent, clock mulligan.Clock, jitter func(time.Duration) time.Duration) mulligan.Agent {
	return steady{a, clock, jitter}
}

type steady struct {
	agent  mulligan.Agent
	clock  mulligan.Clock
	jitter func(time.Duration) time.Duration
}

func (s steady) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	var spent mulligan.Usage
	for try := 0; ; try++ {
		r, err := s.agent.Turn(ctx, t)
		r.Usage.Add(spent)
		if err != nil || r.Ending != mulligan.Unavailable || r.Cause != mulligan.Network || try == transportTries || ctx.Err() != nil {
			return r, err
		}
		spent = r.Usage
		wait := min(transportWait<<try, transportMost)
		if s.jitter != nil {
			wait = s.jitter(wait)
		}
		fmt.Fprintf(t.Log, "mulligan: the agent's connection failed (%s); trying again in %s, %d of %d\n", r.Reason, wait.Round(time.Millisecond), try+1, transportTries)
		s.clock.Sleep(ctx, wait)
		if ctx.Err() != nil {
			r.Ending, r.Cause = mulligan.Cancelled, ""
			return r, nil
		}
	}
}
