package main

import (
	"slices"
	"strings"

	"mulligan"
	"mulligan/retry"
)

const step = "work"

// A way is a way to retry.
type way struct {
	name   string
	policy mulligan.Policy
	told   bool // retries get the evidence of the failure
	prints bool // its failures have fingerprints
	learns bool // past sessions count
}

// blind tries again until the budget is spent.
type blind struct{}

func (blind) Recommend(c mulligan.RetryCase) mulligan.Recommendation {
	if c.IsSpent() {
		return mulligan.Recommendation{Strategy: mulligan.AbortRecommended}
	}
	return mulligan.Recommendation{Strategy: mulligan.StrategyRetry}
}

func (blind) Fingerprint(mulligan.AttemptState) string { return "" }

// ways returns the ways that are compared, the simplest first.
func ways() []way {
	return []way{
		{name: "blind retry", policy: blind{}},
		{name: "retry with feedback", policy: blind{}, told: true},
		{name: "ladder", policy: retry.Adaptive{}, told: true, prints: true},
		{name: "ladder with history", policy: retry.Adaptive{}, told: true, prints: true, learns: true},
	}
}

// A result is what a way has come to in a scenario.
type result struct {
	tasks, solved, attempts int
	tokens, reread          float64
}

func (r result) solvedShare() float64     { return float64(r.solved) / float64(r.tasks) }
func (r result) attemptsPerTask() float64 { return float64(r.attempts) / float64(r.tasks) }
func (r result) perThousand() float64     { return 1000 * float64(r.solved) / r.tokens }
func (r result) perThousandFree() float64 { return 1000 * float64(r.solved) / (r.tokens - r.reread) }

// play has an agent work on the tasks of a scenario, one session after the other.
func play(s scenario, w way, tasks int, seed uint64) result {
	r := result{tasks: tasks}
	var past record
	for number := range tasks {
		j := newJob(s, seed, number)
		attempts := playSession(j, w, past.answer())
		last := attempts[len(attempts)-1]
		r.attempts += len(attempts)
		r.tokens, r.reread = r.tokens+j.tokens, r.reread+j.reread
		if last.Status == mulligan.Pass {
			r.solved++
		}
		if w.learns {
			past.add(attempts)
		}
	}
	return r
}

// playSession has the agent try a task until it is solved or the policy gives up.
func playSession(j *job, w way, past mulligan.Past) []mulligan.AttemptState {
	c := mulligan.RetryCase{Plan: &mulligan.Plan{Retry: &j.plan}, Step: mulligan.Step{Name: step, Retry: retries}, Past: past}
	strategy, reading := "", readingTokens
	for {
		j.try(strategy, w.told && strategy != "")
		j.pay(reading)
		a := j.attempt(len(c.Attempts)+1, strategy)
		if w.prints {
			a.Fingerprint = retry.Fingerprint(a)
		}
		c.Attempts = append(c.Attempts, a)
		if a.Status == mulligan.Pass {
			return c.Attempts
		}
		strategy = w.policy.Recommend(c).Strategy
		switch {
		case strategy == mulligan.AbortRecommended:
			return c.Attempts
		case !w.told:
			j.beginConversation(false)
			reading = readingTokens
		case strategy == mulligan.StrategyFreshStart || strategy == mulligan.StrategyEscalate:
			j.beginConversation(strategy == mulligan.StrategyEscalate)
			reading = readingTokens + notesTokens + feedbackTokens
		default:
			reading = feedbackTokens
		}
	}
}

// A record is what past sessions have come to.
type record struct {
	failed     []bool // of the last sessions
	strategies []mulligan.StrategyPast
}

// add counts a session.
func (p *record) add(attempts []mulligan.AttemptState) {
	p.failed = append(p.failed, attempts[len(attempts)-1].Status != mulligan.Pass)
	p.failed = p.failed[max(len(p.failed)-window, 0):]
	for _, a := range attempts[1:] {
		i := slices.IndexFunc(p.strategies, func(s mulligan.StrategyPast) bool { return s.Name == a.Strategy })
		if i < 0 {
			i = len(p.strategies)
			p.strategies = append(p.strategies, mulligan.StrategyPast{Name: a.Strategy})
		}
		p.strategies[i].Tried++
		if a.Status == mulligan.Pass {
			p.strategies[i].Worked++
		}
	}
}

// answer returns what a policy is told of past sessions.
func (p *record) answer() mulligan.Past {
	past := mulligan.Past{Sessions: len(p.failed), Reached: len(p.failed), Strategies: slices.Clone(p.strategies)}
	for _, failed := range p.failed {
		if failed {
			past.Failed++
		}
	}
	slices.SortFunc(past.Strategies, func(a, b mulligan.StrategyPast) int { return strings.Compare(a.Name, b.Name) })
	return past
}
