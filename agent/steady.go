package agent

import (
	"context"
	"fmt"
	"time"

	"mulligan"
)

// How often a turn that a transport fault ended is given again, and how long that waits.
const (
	transportTries = 5
	transportWait  = 500 * time.Millisecond
	transportMost  = 30 * time.Second
)

// Steady is an agent whose transport faults are tried again before they count: the network
// comes back by itself more often than not. It is not the retry of work: what the agent did
// is not examined between the tries.
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
		r.Usage = addUsage(spent, r.Usage)
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

func addUsage(a, b mulligan.Usage) mulligan.Usage {
	return mulligan.Usage{
		InputTokens: a.InputTokens + b.InputTokens, OutputTokens: a.OutputTokens + b.OutputTokens,
		CachedTokens: a.CachedTokens + b.CachedTokens, Turns: a.Turns + b.Turns,
		CostUSD: a.CostUSD + b.CostUSD, Estimated: a.Estimated || b.Estimated,
	}
}
