package prometheus

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"mulligan"
	"mulligan/history"
)

// totals are sums over all sessions that have ended.
type totals struct {
	sessions, retries, tokens, cost, checks *prometheus.CounterVec
	attempts, turns, judged, worked, flips  prometheus.Counter
	hookRuns, hookBlocks, hookFailures      prometheus.Counter
	checkTook, hookTook                     prometheus.Histogram
}

// newTotals returns totals of nothing. A metric has all values of its label from the beginning.
func newTotals(to promauto.Factory) *totals {
	count := func(name, help string) prometheus.Counter {
		return to.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	countBy := func(name, help, label string, values ...string) *prometheus.CounterVec {
		counter := to.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		for _, value := range values {
			counter.WithLabelValues(value)
		}
		return counter
	}
	spread := func(name, help string) prometheus.Histogram {
		return to.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: []float64{0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600}})
	}
	return &totals{
		sessions: countBy("mulligan_sessions_total", "Sessions that have ended, by their outcome.", "outcome",
			string(mulligan.Verified), string(mulligan.Accepted), string(mulligan.GaveUp), string(mulligan.LimitReached), string(mulligan.Waiting),
			string(mulligan.GateBroken), string(mulligan.AgentUnavailable), string(mulligan.Interrupted)),
		attempts: count("mulligan_attempts_total", "Attempts at steps."),
		retries: countBy("mulligan_retries_total", "Attempts after one that did not pass, by what they came to.", "outcome",
			string(mulligan.Pass), string(mulligan.Fail), notDecided),
		turns:  count("mulligan_turns_total", "Turns of agents."),
		judged: count("mulligan_judge_turns_total", "Turns of agents that judge."),
		tokens: countBy("mulligan_tokens_total", "Tokens as agents tell them; cached ones are part of the input.", "type", "input", "output", "cached"),
		cost:   countBy("mulligan_cost_usd_total", "Cost in US dollars as agents tell it.", "kind", "billed", "estimated"),
		worked: count("mulligan_worked_seconds_total", "Time in turns and checks."),
		checks: countBy("mulligan_check_runs_total", "Runs of checks, by their verdict.", "status",
			string(mulligan.Pass), string(mulligan.Fail), string(mulligan.Broken)),
		flips:        count("mulligan_check_flips_total", "Trees on which a check has both passed and failed."),
		checkTook:    spread("mulligan_check_duration_seconds", "How long checks took."),
		hookRuns:     count("mulligan_hook_runs_total", "Runs of hooks."),
		hookBlocks:   count("mulligan_hook_blocks_total", "Runs of Stop hooks that sent the agent back."),
		hookFailures: count("mulligan_hook_failures_total", "Runs of hooks that failed."),
		hookTook:     spread("mulligan_hook_duration_seconds", "How long hooks took."),
	}
}

// notDecided is the outcome of retries that came to no verdict.
const notDecided = "none"

// add adds the record of a session.
func (t *totals) add(s history.Session) {
	t.sessions.WithLabelValues(string(s.Ended)).Inc()
	add(t.turns, s.Turns)
	add(t.judged, s.Judged)
	add(t.worked, s.Worked.Seconds())
	add(t.tokens.WithLabelValues("input"), s.Usage.InputTokens)
	add(t.tokens.WithLabelValues("output"), s.Usage.OutputTokens)
	add(t.tokens.WithLabelValues("cached"), s.Usage.CachedTokens)
	add(t.cost.WithLabelValues("billed"), s.BilledUSD)
	add(t.cost.WithLabelValues("estimated"), s.Usage.CostUSD-s.BilledUSD)
	for _, step := range s.Steps {
		add(t.attempts, step.Attempts)
		for _, r := range step.Retries {
			outcome := notDecided
			if r.Decided() {
				outcome = string(r.Outcome)
			}
			t.retries.WithLabelValues(outcome).Inc()
		}
	}
	for _, c := range s.Checks {
		add(t.checks.WithLabelValues(string(mulligan.Fail)), c.Failed)
		add(t.checks.WithLabelValues(string(mulligan.Broken)), c.Broken)
		add(t.checks.WithLabelValues(string(mulligan.Pass)), c.Runs-c.Failed-c.Broken)
		add(t.flips, c.Flips)
		c.Took.Each(observe(t.checkTook))
	}
	for _, h := range s.Hooks {
		add(t.hookRuns, h.Runs)
		add(t.hookBlocks, h.Blocks)
		add(t.hookFailures, h.Failures+h.Broken)
		h.Took.Each(observe(t.hookTook))
	}
}

// add adds to a counter, which panics at less than nothing: agents tell their tokens and cost themselves.
func add[N int | int64 | float64](to prometheus.Counter, n N) { to.Add(max(0, float64(n))) }

// observe returns what adds runs that took about as long each to a histogram.
func observe(spread prometheus.Histogram) func(took time.Duration, runs int) {
	return func(took time.Duration, runs int) {
		for range runs {
			spread.Observe(took.Seconds())
		}
	}
}
